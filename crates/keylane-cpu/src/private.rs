//! A file for its user alone. For commands only, on Windows, where safe code cannot write an access list.

use core::ffi::c_void;
use core::mem::size_of_val;
use core::ptr::null_mut;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};

const TOKEN_QUERY: u32 = 8;
const TOKEN_USER: u32 = 1;
const ACL_REVISION: u32 = 2;
const FILE_ALL_ACCESS: u32 = 0x1f_01ff;
const SECURITY_DESCRIPTOR_REVISION: u32 = 1;
/// The folder's list is not inherited.
const SE_DACL_PROTECTED: u16 = 0x1000;
const DACL_SECURITY_INFORMATION: u32 = 4;

#[repr(C)]
struct SecurityDescriptor {
    revision: u8,
    zero: u8,
    control: u16,
    pointers: [*mut c_void; 4],
}

#[link(name = "advapi32")]
unsafe extern "system" {
    fn OpenProcessToken(process: RawHandle, access: u32, token: &mut RawHandle) -> i32;
    fn GetTokenInformation(token: RawHandle, class: u32, to: *mut c_void, len: u32, used: &mut u32) -> i32;
    fn InitializeAcl(list: *mut c_void, len: u32, revision: u32) -> i32;
    fn AddAccessAllowedAce(list: *mut c_void, revision: u32, access: u32, user: *const c_void) -> i32;
    fn InitializeSecurityDescriptor(to: &mut SecurityDescriptor, revision: u32) -> i32;
    fn SetSecurityDescriptorDacl(
        to: &mut SecurityDescriptor,
        there: i32,
        list: *mut c_void,
        usual: i32,
    ) -> i32;
    fn SetSecurityDescriptorControl(to: &mut SecurityDescriptor, mask: u16, bits: u16) -> i32;
    fn SetKernelObjectSecurity(object: RawHandle, what: u32, descriptor: &SecurityDescriptor) -> i32;
}

unsafe extern "system" {
    fn GetCurrentProcess() -> RawHandle;
}

fn done(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Restricts the file to the user who runs the program, whatever its folder allows. An administrator can take
/// ownership and open it all the same.
///
/// # Errors
/// If `file` was not opened with the right `WRITE_DAC`, or lies where there are no access lists, as on FAT.
pub fn restrict_to_user(file: &File) -> io::Result<()> {
    // A pointer, attributes, and the identifier of at most 68 bytes to which it points.
    let mut user = [null_mut::<c_void>(); 32];
    // For one entry of at most 76 bytes.
    let mut list = [0_u32; 32];
    let list_len = size_of_val(&list) as u32;
    let list = (&raw mut list).cast();
    let (mut token, mut used) = (null_mut(), 0);
    let mut descriptor = SecurityDescriptor { revision: 0, zero: 0, control: 0, pointers: [null_mut(); 4] };
    // SAFETY: each pointer is to as many bytes as the length beside it says, or to a list or descriptor that
    // those functions made. They are aligned as those have to be, and live to the end of this function.
    // Nothing else closes the token, which is new. `user` begins with a pointer to the identifier behind it.
    unsafe {
        done(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token))?;
        let token = OwnedHandle::from_raw_handle(token);
        let (to, len) = ((&raw mut user).cast(), size_of_val(&user) as u32);
        done(GetTokenInformation(token.as_raw_handle(), TOKEN_USER, to, len, &mut used))?;
        done(InitializeAcl(list, list_len, ACL_REVISION))?;
        done(AddAccessAllowedAce(list, ACL_REVISION, FILE_ALL_ACCESS, user[0]))?;
        done(InitializeSecurityDescriptor(&mut descriptor, SECURITY_DESCRIPTOR_REVISION))?;
        done(SetSecurityDescriptorDacl(&mut descriptor, 1, list, 0))?;
        done(SetSecurityDescriptorControl(&mut descriptor, SE_DACL_PROTECTED, SE_DACL_PROTECTED))?;
        done(SetKernelObjectSecurity(file.as_raw_handle(), DACL_SECURITY_INFORMATION, &descriptor))
    }
}
