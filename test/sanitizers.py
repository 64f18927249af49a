"""Environment of programs built with HONE_SANITIZE."""

import os


def add_environment(environment, source):
    """Adds the options of the sanitizers, with their suppressions."""
    address = [
        "detect_leaks=1",
        # Debian's libraries allocate one type of new and free another.
        "alloc_dealloc_mismatch=0",
        "new_delete_type_mismatch=0",
        # Inline variables stand in every shared library that uses them.
        "detect_odr_violation=0",
        # A test may ask for more memory than there is, and must get null.
        "allocator_may_return_null=1",
        # A worker that a test stops by a signal must print no report.
        "handle_segv=0",
        "handle_abort=0",
    ]
    undefined = [
        "halt_on_error=1",
        "print_stacktrace=1",
        f"suppressions={source}/test/ubsan.supp",
    ]
    environment["ASAN_OPTIONS"] = ":".join(address)
    environment["UBSAN_OPTIONS"] = ":".join(undefined)
    environment["LSAN_OPTIONS"] = f"suppressions={source}/test/lsan.supp:print_suppressions=0"
