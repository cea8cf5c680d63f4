/* Fails one call that changes a file. Loaded in front of the C library (LD_PRELOAD), so that it sees what the program and
   all its libraries do.

   FAULT_AT=N      the number of the call, from 1
   FAULT=error     the call fails (EIO)
   FAULT=full      the call and all later ones fail (ENOSPC); a write stores half of its bytes
   FAULT=kill      the program is killed (SIGKILL) in front of the call; a write stores half of its bytes
   FAULT_LOG=FILE  the file into which the number of calls is written at the end */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NOTHING, ERROR, FULL, KILL };

static long num_calls;
static long at = -1;
static int fault;

static void __attribute__((constructor)) begin(void) {
  const char *number = getenv("FAULT_AT"), *name = getenv("FAULT");
  at = number ? atol(number) : 0;
  fault = !name ? NOTHING : !strcmp(name, "error") ? ERROR : !strcmp(name, "full") ? FULL : KILL;
}

static void __attribute__((destructor)) end(void) {
  const char *path = getenv("FAULT_LOG");
  int (*open_file)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  ssize_t (*write_to)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  int file = path ? open_file(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file >= 0) {
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", num_calls);
    if (write_to(file, text, (size_t)length) < 0) abort();
    close(file);
  }
}

/* Counts a call, and returns the fault that it has. */
static int next(void) {
  long number = __atomic_add_fetch(&num_calls, 1, __ATOMIC_SEQ_CST);
  if (at > 0 && (number == at || (fault == FULL && number > at))) return fault;
  return NOTHING;
}

static int fails(int kind) {
  if (kind == KILL) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = kind == FULL ? ENOSPC : EIO;
  return -1;
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int is_file(int fd) {
  struct stat found;
  return fd > 2 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (!is_file(fd)) return real(fd, bytes, count);
  int kind = next();
  if (kind == NOTHING) return real(fd, bytes, count);
  if ((kind == FULL || kind == KILL) && count > 1 && num_calls == at) {
    ssize_t written = real(fd, bytes, count / 2);
    return kind == KILL ? fails(kind) : written;
  }
  return fails(kind);
}

static int changes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT); }

static int open_as(const char *name, const char *path, int flags, mode_t mode) {
  int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
  /* Devices are no files of results. */
  if (!changes(flags) || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6)) return real(path, flags, mode);
  int kind = next();
  return kind == NOTHING ? real(path, flags, mode) : fails(kind);
}

#define OPEN(name)                                                                                                     \
  int name(const char *path, int flags, ...) {                                                                         \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(rest, mode_t) : 0;                                        \
    va_end(rest);                                                                                                      \
    return open_as(#name, path, flags, mode);                                                                          \
  }
OPEN(open)
OPEN(open64)

#define CALL(name, parameters, arguments, ...)                                                                         \
  int name parameters {                                                                                                \
    REAL(int, #name, __VA_ARGS__);                                                                                     \
    int kind = next();                                                                                                 \
    return kind == NOTHING ? real arguments : fails(kind);                                                             \
  }
CALL(rename, (const char *from, const char *to), (from, to), const char *, const char *)
CALL(mkdir, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
/* A file can be removed from a full disk. */
#define REMOVE(name, parameters, arguments, ...)                                                                       \
  int name parameters {                                                                                                \
    REAL(int, #name, __VA_ARGS__);                                                                                     \
    int kind = next();                                                                                                 \
    return kind == NOTHING || kind == FULL ? real arguments : fails(kind);                                             \
  }
REMOVE(rmdir, (const char *path), (path), const char *)
REMOVE(unlink, (const char *path), (path), const char *)
REMOVE(unlinkat, (int base, const char *path, int flags), (base, path, flags), int, const char *, int)
CALL(symlink, (const char *target, const char *path), (target, path), const char *, const char *)
CALL(link, (const char *from, const char *to), (from, to), const char *, const char *)
CALL(ftruncate, (int fd, off_t length), (fd, length), int, off_t)
CALL(ftruncate64, (int fd, off64_t length), (fd, length), int, off64_t)
CALL(fsync, (int fd), (fd), int)
CALL(fdatasync, (int fd), (fd), int)
