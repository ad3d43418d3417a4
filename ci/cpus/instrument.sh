#!/bin/sh
# instrument.sh RUSTC ARGS...: as RUSTC_WORKSPACE_WRAPPER, has cargo count what runs of the workspace's crates, and of no
# other: those need not be compiled again.
exec "$@" -Cinstrument-coverage
