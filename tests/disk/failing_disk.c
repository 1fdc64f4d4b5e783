/* A disk that fails at a chosen operation: a library to preload (LD_PRELOAD, Linux) that stands between
 * a program and the C library's calls on files, numbers those that change anything below one directory,
 * logs them, and at a chosen one fails, tears the write or kills the process. The point is chosen by
 * what the program did and not by time, so it can be hit again.
 *
 *     cc -shared -fPIC -O1 -pthread -o failing_disk.so failing_disk.c -ldl
 *     DISK_UNDER=/tmp/job DISK_LOG=/tmp/log DISK_AT=17 DISK_ACTION=torn LD_PRELOAD=./failing_disk.so program ...
 *
 * DISK_UNDER   absolute path of the directory; calls on other files pass unseen.
 * DISK_LOG     file to which each operation is appended before it is done: number, call, bytes, path.
 * DISK_COUNT   "changes" (default): opening for writing, writing, truncating, allocating, syncing, making,
 *              renaming and removing; "reads": opening for reading and reading.
 * DISK_AT      number of the operation, from 1; 0 or unset: none.
 * DISK_ACTION  what happens at that operation:
 *     kill     the process gets DISK_SIGNAL before the operation. It dies of SIGKILL (9, the default);
 *              after a signal that it handles the operation is done.
 *     torn     as kill, but half of a write is done first.
 *     fail     this one operation fails with DISK_ERRNO (default EIO).
 *     short    half of a write is done, without an error; the next operation that needs room, and all
 *              behind it, fail with ENOSPC.
 *     full     this operation and all behind it that need room fail with ENOSPC.
 *     halt     half of the write is reported as the whole, and the process is killed at the next
 *              operation: the rest of the write never reached the disk.
 *     damaged  this read fails with DISK_ERRNO, and so does every later one that reaches the same
 *              place of the same file; for an opening, every later one of the file.
 * DISK_NO_EXCHANGE  if set, two names cannot be exchanged in one step (RENAME_EXCHANGE), as on some systems.
 * DISK_DELAY   microseconds that the program waits at each operation: other threads run ahead meanwhile.
 *
 * The C library's calls are found by name, so a statically linked program is not affected: its log stays
 * empty, which callers have to check. Memory maps are not watched.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum action { NONE, KILL, TORN, FAIL, SHORT, FULL, HALT, DAMAGED };
/* What an operation needs: a full disk refuses those that need room, and lets the others pass. */
enum kind { ROOM, OTHER };

static char under[PATH_MAX];
static size_t under_length;
static int log_file = -1;
static bool counts_reads;
static enum action action = NONE;
static unsigned long at;
static int signal_number = SIGKILL, error_number = EIO;
static useconds_t delay;
static atomic_ulong counter;
/* Set once the disk is full, or the process is to die at its next operation. */
static atomic_bool is_full, is_halting;
/* The place that cannot be read once `is_damaged` is set; its offset is -1 where the file cannot be opened. */
static char damaged_path[PATH_MAX];
static off64_t damaged_offset;
static atomic_bool is_damaged;

static long number_of(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value && *value ? strtol(value, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    static const char *const names[] = {"none", "kill", "torn", "fail", "short", "full", "halt", "damaged"};
    const char *value = getenv("DISK_UNDER");
    if (!value || strlen(value) >= sizeof under) return;
    strcpy(under, value);
    under_length = strlen(under);
    at = (unsigned long)number_of("DISK_AT", 0);
    signal_number = (int)number_of("DISK_SIGNAL", SIGKILL);
    error_number = (int)number_of("DISK_ERRNO", EIO);
    delay = (useconds_t)number_of("DISK_DELAY", 0);
    value = getenv("DISK_COUNT");
    counts_reads = value && !strcmp(value, "reads");
    value = getenv("DISK_ACTION");
    for (size_t n = 0; value && n < sizeof names / sizeof *names; n++)
        if (!strcmp(value, names[n])) action = (enum action)n;
    value = getenv("DISK_LOG");
    if (value)
        log_file = (int)syscall(SYS_openat, AT_FDCWD, value, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static bool is_under(const char *path) {
    return under_length && !strncmp(path, under, under_length) && (path[under_length] == '/' || !path[under_length]);
}

/* The path of an open file, as the system knows it now; whether it is one of ours. */
static bool path_of(int file, char *path) {
    char link[40];
    if (!under_length) return false;
    int saved = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    errno = saved;
    if (length < 0) return false;
    path[length] = 0;
    return is_under(path);
}

/* The absolute path of a name; whether it is one of ours. */
static bool path_at(int folder, const char *name, char *path) {
    if (!under_length || !name) return false;
    int saved = errno;
    if (*name == '/') {
        snprintf(path, PATH_MAX, "%s", name);
    } else {
        if (folder == AT_FDCWD) {
            if (!getcwd(path, PATH_MAX)) *path = 0;
        } else if (!path_of(folder, path)) {
            *path = 0;
        }
        while (name[0] == '.' && name[1] == '/') name += 2;
        size_t length = strlen(path);
        snprintf(path + length, PATH_MAX - length, "/%s", name);
    }
    errno = saved;
    return is_under(path);
}

static void strike(void) {
    kill(getpid(), signal_number);
    /* SIGKILL is delivered on the way back from the call, but not necessarily to this thread first. */
    while (signal_number == SIGKILL) pause();
}

enum verdict { PASS, HALF, HALF_AND_DIE, HALF_IS_ALL, ERROR };

/* Counts an operation and says what becomes of it; for ERROR, errno is set. A read has the offset
 * from which it reads, every other operation -1. */
static enum verdict operation(const char *call, enum kind kind, long bytes, const char *path, off64_t offset) {
    int saved = errno;
    unsigned long number = atomic_fetch_add(&counter, 1) + 1;
    if (log_file >= 0) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%lu %s %ld %s\n", number, call, bytes, path);
        if (syscall(SYS_write, log_file, line, (size_t)length) < 0) abort();
    }
    if (delay) usleep(delay);
    errno = saved;
    if (atomic_load(&is_halting)) {
        signal_number = SIGKILL;
        strike();
    }
    if (number == at) {
        switch (action) {
        case KILL: strike(); errno = saved; return PASS;
        case TORN:
            if (bytes > 1) return HALF_AND_DIE;
            strike();
            errno = saved;
            return PASS;
        case FAIL: errno = error_number; return ERROR;
        case SHORT:
            atomic_store(&is_full, true);
            if (bytes > 1) return HALF;
            break;
        case FULL: atomic_store(&is_full, true); break;
        case HALT:
            atomic_store(&is_halting, true);
            return bytes > 1 ? HALF_IS_ALL : PASS;
        case DAMAGED:
            strcpy(damaged_path, path);
            damaged_offset = offset;
            atomic_store(&is_damaged, true);
            break;
        case NONE: break;
        }
    }
    if (kind == ROOM && atomic_load(&is_full)) {
        errno = ENOSPC;
        return ERROR;
    }
    if (atomic_load(&is_damaged) && !strcmp(path, damaged_path)
        && (offset < 0 ? damaged_offset < 0 : offset <= damaged_offset && damaged_offset < offset + bytes)) {
        errno = error_number;
        return ERROR;
    }
    return PASS;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* --- opening -------------------------------------------------------------------------------------- */

static bool opens(const char *call, int folder, const char *name, int flags) {
    char path[PATH_MAX];
    bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;
    /* A directory opened for its sync is a change that the sync itself counts. */
    if (writes == counts_reads || (counts_reads && flags & O_DIRECTORY) || !path_at(folder, name, path)) return true;
    bool makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    return operation(call, makes ? ROOM : OTHER, 0, path, -1) != ERROR;
}

#define MODE(flags, mode) \
    mode_t mode = 0; \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list more; \
        va_start(more, flags); \
        mode = va_arg(more, mode_t); \
        va_end(more); \
    }

int open(const char *name, int flags, ...) {
    MODE(flags, mode);
    REAL(open);
    return opens("open", AT_FDCWD, name, flags) ? real(name, flags, mode) : -1;
}

int open64(const char *name, int flags, ...) {
    MODE(flags, mode);
    REAL(open64);
    return opens("open", AT_FDCWD, name, flags) ? real(name, flags, mode) : -1;
}

int openat(int folder, const char *name, int flags, ...) {
    MODE(flags, mode);
    REAL(openat);
    return opens("open", folder, name, flags) ? real(folder, name, flags, mode) : -1;
}

int openat64(int folder, const char *name, int flags, ...) {
    MODE(flags, mode);
    REAL(openat64);
    return opens("open", folder, name, flags) ? real(folder, name, flags, mode) : -1;
}

/* --- writing -------------------------------------------------------------------------------------- */

/* `half` does the first half of the write, `all` all of it. */
#define WRITES(call, file, bytes, all, half) \
    do { \
        char path[PATH_MAX]; \
        if (counts_reads || !path_of(file, path)) return all; \
        switch (operation(call, ROOM, (long)(bytes), path, -1)) { \
        case ERROR: return -1; \
        case HALF: return half; \
        case HALF_AND_DIE: \
            if (half < 0) abort(); \
            strike(); \
            return all; \
        case HALF_IS_ALL: \
            if (half < 0) abort(); \
            return (ssize_t)(bytes); \
        case PASS: break; \
        } \
        return all; \
    } while (0)

ssize_t write(int file, const void *data, size_t bytes) {
    REAL(write);
    WRITES("write", file, bytes, real(file, data, bytes), real(file, data, bytes / 2));
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset) {
    REAL(pwrite);
    WRITES("pwrite", file, bytes, real(file, data, bytes, offset), real(file, data, bytes / 2, offset));
}

ssize_t pwrite64(int file, const void *data, size_t bytes, off64_t offset) {
    REAL(pwrite64);
    WRITES("pwrite", file, bytes, real(file, data, bytes, offset), real(file, data, bytes / 2, offset));
}

static size_t total(const struct iovec *parts, int count) {
    size_t bytes = 0;
    for (int n = 0; n < count; n++) bytes += parts[n].iov_len;
    return bytes;
}

/* The first half of several pieces: whole pieces up to the middle, and a part of the next one. */
static ssize_t half_of(int file, const struct iovec *parts, int count) {
    size_t left = total(parts, count) / 2;
    ssize_t done = 0;
    for (int n = 0; n < count && left; n++) {
        size_t bytes = parts[n].iov_len < left ? parts[n].iov_len : left;
        ssize_t written = syscall(SYS_write, file, parts[n].iov_base, bytes);
        if (written < 0) return written;
        done += written;
        left -= bytes;
    }
    return done;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(writev);
    WRITES("writev", file, total(parts, count), real(file, parts, count), half_of(file, parts, count));
}

static off64_t here(int file);

/* What is copied within the system is read, too; 1: the read fails. */
static int copy_fails(const char *call, int from, off64_t offset, size_t bytes) {
    char path[PATH_MAX];
    if (!counts_reads || !path_of(from, path)) return 0;
    return operation(call, OTHER, (long)bytes, path, offset < 0 ? here(from) : offset) == ERROR;
}

ssize_t sendfile(int file, int from, off_t *offset, size_t bytes) {
    REAL(sendfile);
    if (copy_fails("sendfile", from, offset ? *offset : -1, bytes)) return -1;
    WRITES("sendfile", file, bytes, real(file, from, offset, bytes), real(file, from, offset, bytes / 2));
}

ssize_t sendfile64(int file, int from, off64_t *offset, size_t bytes) {
    REAL(sendfile64);
    if (copy_fails("sendfile", from, offset ? *offset : -1, bytes)) return -1;
    WRITES("sendfile", file, bytes, real(file, from, offset, bytes), real(file, from, offset, bytes / 2));
}

ssize_t copy_file_range(int from, off64_t *there, int file, off64_t *here, size_t bytes, unsigned flags) {
    REAL(copy_file_range);
    if (copy_fails("copy_file_range", from, there ? *there : -1, bytes)) return -1;
    /* Callers ask for far more than there is, so half of it would still be everything. */
    size_t small = bytes < 64 ? bytes / 2 : 32;
    WRITES("copy_file_range", file, bytes, real(from, there, file, here, bytes, flags),
           real(from, there, file, here, small, flags));
}

/* --- everything else that changes something --------------------------------------------------------- */

#define CHANGES_FILE(call, kind, file, real_call) \
    do { \
        char path[PATH_MAX]; \
        if (!counts_reads && path_of(file, path) && operation(call, kind, 0, path, -1) == ERROR) return -1; \
        return real_call; \
    } while (0)

#define CHANGES_NAME(call, kind, folder, name, real_call) \
    do { \
        char path[PATH_MAX]; \
        if (!counts_reads && path_at(folder, name, path) && operation(call, kind, 0, path, -1) == ERROR) return -1; \
        return real_call; \
    } while (0)

int fsync(int file) { REAL(fsync); CHANGES_FILE("fsync", OTHER, file, real(file)); }
int fdatasync(int file) { REAL(fdatasync); CHANGES_FILE("fdatasync", OTHER, file, real(file)); }
int ftruncate(int file, off_t length) { REAL(ftruncate); CHANGES_FILE("ftruncate", OTHER, file, real(file, length)); }
int ftruncate64(int file, off64_t length) { REAL(ftruncate64); CHANGES_FILE("ftruncate", OTHER, file, real(file, length)); }
int fallocate(int file, int mode, off_t from, off_t length) { REAL(fallocate); CHANGES_FILE("fallocate", ROOM, file, real(file, mode, from, length)); }
int fallocate64(int file, int mode, off64_t from, off64_t length) { REAL(fallocate64); CHANGES_FILE("fallocate", ROOM, file, real(file, mode, from, length)); }
int sync_file_range(int file, off64_t from, off64_t length, unsigned flags) { REAL(sync_file_range); CHANGES_FILE("sync_file_range", OTHER, file, real(file, from, length, flags)); }

int mkdir(const char *name, mode_t mode) { REAL(mkdir); CHANGES_NAME("mkdir", ROOM, AT_FDCWD, name, real(name, mode)); }
int mkdirat(int folder, const char *name, mode_t mode) { REAL(mkdirat); CHANGES_NAME("mkdir", ROOM, folder, name, real(folder, name, mode)); }
int unlink(const char *name) { REAL(unlink); CHANGES_NAME("unlink", OTHER, AT_FDCWD, name, real(name)); }
int unlinkat(int folder, const char *name, int flags) { REAL(unlinkat); CHANGES_NAME(flags & AT_REMOVEDIR ? "rmdir" : "unlink", OTHER, folder, name, real(folder, name, flags)); }
int rmdir(const char *name) { REAL(rmdir); CHANGES_NAME("rmdir", OTHER, AT_FDCWD, name, real(name)); }
/* A rename counts by its new name. */
int rename(const char *from, const char *to) { REAL(rename); CHANGES_NAME("rename", OTHER, AT_FDCWD, to, real(from, to)); }
int renameat(int here, const char *from, int there, const char *to) { REAL(renameat); CHANGES_NAME("rename", OTHER, there, to, real(here, from, there, to)); }

int renameat2(int here, const char *from, int there, const char *to, unsigned flags) {
    REAL(renameat2);
    if (flags & RENAME_EXCHANGE && under_length && getenv("DISK_NO_EXCHANGE")) {
        errno = EINVAL;
        return -1;
    }
    CHANGES_NAME(flags & RENAME_EXCHANGE ? "exchange" : "rename", OTHER, there, to, real(here, from, there, to, flags));
}

int link(const char *from, const char *to) { REAL(link); CHANGES_NAME("link", ROOM, AT_FDCWD, to, real(from, to)); }
int linkat(int here, const char *from, int there, const char *to, int flags) { REAL(linkat); CHANGES_NAME("link", ROOM, there, to, real(here, from, there, to, flags)); }
int symlink(const char *target, const char *name) { REAL(symlink); CHANGES_NAME("symlink", ROOM, AT_FDCWD, name, real(target, name)); }

/* --- reading -------------------------------------------------------------------------------------- */

#define READS(call, file, bytes, offset, all) \
    do { \
        char path[PATH_MAX]; \
        if (counts_reads && path_of(file, path) && operation(call, OTHER, (long)(bytes), path, offset) == ERROR) return -1; \
        return all; \
    } while (0)

/* Where the next read of a file begins. */
static off64_t here(int file) {
    int saved = errno;
    off64_t offset = lseek64(file, 0, SEEK_CUR);
    errno = saved;
    return offset < 0 ? 0 : offset;
}

ssize_t read(int file, void *data, size_t bytes) { REAL(read); READS("read", file, bytes, here(file), real(file, data, bytes)); }
ssize_t pread(int file, void *data, size_t bytes, off_t offset) { REAL(pread); READS("pread", file, bytes, offset, real(file, data, bytes, offset)); }
ssize_t pread64(int file, void *data, size_t bytes, off64_t offset) { REAL(pread64); READS("pread", file, bytes, offset, real(file, data, bytes, offset)); }
ssize_t readv(int file, const struct iovec *parts, int count) { REAL(readv); READS("readv", file, total(parts, count), here(file), real(file, parts, count)); }
