//! System calls that the standard library lacks or makes differently. The command's only module with `unsafe`
//! code.

pub(crate) use system::*;

pub(crate) const STDIN: u32 = 0;
pub(crate) const STDOUT: u32 = 1;
/// The maximum number of files that are open at the same time.
const MAX_OPEN: usize = 200;

#[cfg(unix)]
mod system {
    use super::{MAX_OPEN, STDOUT};
    use filedescriptor::{Error, FileDescriptor};
    use rustix::io::Errno;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use signal_hook::consts::{SIGPIPE, SIGXFSZ};
    use signal_hook::flag;
    use signal_hook::low_level::emulate_default_handler;
    use std::ffi::c_int;
    use std::fs::{File, Metadata};
    use std::io::{self, LineWriter, Write};
    use std::os::unix::fs::FileTypeExt;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

    const F_GETFD: c_int = 1;
    const SIG_IGN: usize = 1;

    /// A bit for each descriptor that was closed.
    static CLOSED: AtomicUsize = AtomicUsize::new(0);
    static SIGPIPE_IGNORED: AtomicBool = AtomicBool::new(false);

    unsafe extern "C" {
        fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
        fn signal(number: c_int, handler: usize) -> usize;
    }

    // Before `main`, Rust's runtime replaces closed standard streams by `/dev/null` and ignores SIGPIPE. A
    // missing input would then look empty, and output would be lost without an error. Afterwards the
    // difference cannot be seen: Python's `subprocess.DEVNULL` is `/dev/null` for reading and writing as
    // well. The loader calls this function earlier; it only records the state. SAFETY: the section holds
    // pointers to functions of the C ABI, which run once and one after the other, before any thread starts.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        let mut closed = 0;
        for descriptor in 0..usize::BITS {
            // SAFETY: F_GETFD takes no argument and writes no memory; it fails where nothing is open.
            if unsafe { fcntl(descriptor as c_int, F_GETFD) } == -1 {
                closed |= 1 << descriptor;
            }
        }
        CLOSED.store(closed, Relaxed);
        // SAFETY: no handler is installed; the second call restores what the first has found.
        unsafe {
            let before = signal(SIGPIPE, SIG_IGN);
            signal(SIGPIPE, before);
            SIGPIPE_IGNORED.store(before == SIG_IGN, Relaxed);
        }
    }

    /// Fails if the descriptor was closed when the program began. Only the first 64 descriptors are checked
    /// (32 on 32-bit CPUs).
    pub(crate) fn check(descriptor: u32) -> io::Result<()> {
        let was_closed = descriptor < usize::BITS && CLOSED.load(Relaxed) >> descriptor & 1 == 1;
        if was_closed { Err(Errno::BADF.into()) } else { Ok(()) }
    }

    /// Returns the open file behind a descriptor, at its position, without the buffer and lock of
    /// [`io::stdin`] or [`io::stdout`]. Opening `/dev/fd/N` instead would start at the file's beginning, and
    /// fail if this process lacks permission to open the file.
    pub(crate) fn open(descriptor: u32) -> io::Result<File> {
        check(descriptor)?;
        let number = i32::try_from(descriptor).map_err(|_| Errno::BADF)?;
        FileDescriptor::dup(&number).and_then(|duplicate| duplicate.as_file()).map_err(|error| match error {
            Error::Dup { source, .. } => source,
            error => io::Error::other(error),
        })
    }

    /// Returns standard output, which is opened at the first write. [`io::stdout`] ignores errors if it is
    /// closed or open only for reading.
    pub(crate) fn stdout() -> impl Write {
        LineWriter::new(Out(None))
    }

    struct Out(Option<File>);

    impl Write for Out {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match &mut self.0 {
                Some(file) => file.write(bytes),
                none => none.insert(open(STDOUT)?).write(bytes),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns whether SIGPIPE was ignored when the program began. A write to a pipe without a reader is then
    /// an error.
    pub(crate) fn ignored_sigpipe() -> bool {
        SIGPIPE_IGNORED.load(Relaxed)
    }

    pub(crate) fn end_by_sigpipe() {
        let _ = emulate_default_handler(SIGPIPE);
    }

    /// Installs a handler, so that a file at the limit of `ulimit -f` is an error and does not end the
    /// program with a draft left behind.
    pub(crate) fn survive_file_limit() {
        let _ = flag::register(SIGXFSZ, Arc::default());
    }

    /// Forbids core files, before a secret is in memory. Programs that receive core dumps from the system
    /// (`core_pattern` begins with `|`) may ignore this.
    pub(crate) fn forbid_core_file() {
        // Lowering a limit is always allowed.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }

    /// Returns half of the system's limit: the other half is for other files, including inherited ones.
    pub(crate) fn most_open() -> usize {
        let limit = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok());
        limit.map_or(MAX_OPEN, |limit| MAX_OPEN.min(limit / 2)).max(1)
    }

    pub(crate) fn is_pipe(metadata: &Metadata) -> bool {
        metadata.file_type().is_fifo()
    }

    /// Returns whether it is a disk, where overwriting loses data as with a file.
    pub(crate) fn is_block_device(metadata: &Metadata) -> bool {
        metadata.file_type().is_block_device()
    }
}

#[cfg(windows)]
mod system {
    use super::{MAX_OPEN, STDIN, STDOUT};
    use std::ffi::c_void;
    use std::fs::{self, File, Metadata};
    use std::io::{self, Write};
    use std::os::windows::fs::OpenOptionsExt;
    use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
    use std::path::Path;
    use std::ptr::null_mut;

    pub(crate) fn check(_: u32) -> io::Result<()> {
        Ok(())
    }

    /// Every system has standard input and output.
    pub(crate) fn open(number: u32) -> io::Result<File> {
        let handle = match number {
            STDIN => io::stdin().as_handle().try_clone_to_owned(),
            STDOUT => io::stdout().as_handle().try_clone_to_owned(),
            _ => Err(io::Error::new(io::ErrorKind::Unsupported, "this system has only descriptors 0 and 1")),
        };
        handle.map(File::from)
    }

    pub(crate) fn stdout() -> impl Write {
        io::stdout().lock()
    }

    pub(crate) fn ignored_sigpipe() -> bool {
        false
    }

    pub(crate) fn end_by_sigpipe() {}

    pub(crate) fn survive_file_limit() {}

    pub(crate) fn forbid_core_file() {}

    pub(crate) fn most_open() -> usize {
        MAX_OPEN
    }

    pub(crate) fn is_pipe(_: &Metadata) -> bool {
        false
    }

    pub(crate) fn is_block_device(_: &Metadata) -> bool {
        false
    }

    const GENERIC_READ_WRITE: u32 = 0xc000_0000;
    const WRITE_DAC: u32 = 0x4_0000;
    const FILE_SHARE_DELETE: u32 = 4;
    const TOKEN_QUERY: u32 = 8;
    const TOKEN_USER: u32 = 1;
    const ACL_REVISION: u32 = 2;
    const FILE_ALL_ACCESS: u32 = 0x1f_01ff;
    const SECURITY_DESCRIPTOR_REVISION: u32 = 1;
    /// Prevents inheriting the folder's access list.
    const SE_DACL_PROTECTED: u16 = 0x1000;
    const DACL_SECURITY_INFORMATION: u32 = 4;

    /// Creates a file for the user who runs the program, whatever its folder allows. No other program can
    /// open it, except to rename it, before its access list is written. An administrator can take ownership
    /// and open it all the same.
    ///
    /// # Errors
    /// If the file cannot be created, or the file system has no access lists, like FAT.
    pub(crate) fn create_private(path: &Path) -> io::Result<File> {
        let mut options = File::options();
        options.write(true).create_new(true).access_mode(GENERIC_READ_WRITE | WRITE_DAC);
        let file = options.share_mode(FILE_SHARE_DELETE).open(path)?;
        match restrict_to_user(&file) {
            Ok(()) => Ok(file),
            Err(error) => {
                drop(file);
                let _ = fs::remove_file(path);
                Err(error)
            }
        }
    }

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
        fn GetTokenInformation(
            token: RawHandle,
            class: u32,
            to: *mut c_void,
            len: u32,
            used: &mut u32,
        ) -> i32;
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

    fn restrict_to_user(file: &File) -> io::Result<()> {
        // A pointer, attributes, and the identifier of at most 68 bytes to which it points.
        let mut user = [null_mut::<c_void>(); 32];
        // For one entry of at most 76 bytes.
        let mut list = [0_u32; 32];
        let list_len = size_of_val(&list) as u32;
        let list = (&raw mut list).cast();
        let (mut token, mut used) = (null_mut(), 0);
        let mut descriptor =
            SecurityDescriptor { revision: 0, zero: 0, control: 0, pointers: [null_mut(); 4] };
        // SAFETY: each pointer is to as many bytes as the length beside it says, or to a list or descriptor
        // that those functions made. They are aligned as those have to be, and live to the end of this
        // function. Nothing else closes the token, which is new. `user` begins with a pointer to the
        // identifier behind it.
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
}
