/* Fails one call that changes a file, or one that reads it. Loaded in front of the C library (LD_PRELOAD), so that it sees
   what the program and all its libraries do.

   FAULT_AT=N       the number of the call, from 1
   FAULT=error      the call fails (EIO)
   FAULT=full       the call and all later ones fail (ENOSPC); a write stores half of its bytes
   FAULT=kill       the program is killed (SIGKILL) in front of the call; a write stores half of its bytes
   FAULT=power      as kill; then every file loses what was written after it was last synchronised, and every file that was
                    renamed after its directory was last synchronised has its old name
   FAULT=zeros      as power, but zeros take the place of what is lost of a file
   FAULT_READS=DIR  calls that read below the directory DIR, or ask about it, are counted, instead of calls that change
   FAULT=interrupt  the call and all later ones are interrupted (EINTR) once, and then read a few bytes only
   FAULT_KEEP=DIR   an empty directory in which files that are replaced are kept for power and zeros
   FAULT_LOG=FILE   the file into which the number of calls is written at the end */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NOTHING, ERROR, FULL, KILL, POWER, ZEROS, INTERRUPT };
static const char *const NAMES[] = {"", "error", "full", "kill", "power", "zeros", "interrupt"};

static long num_calls;
static long at = -1;
static int fault;
/* The directory whose readers are counted, or a null pointer if writers are. */
static const char *read_dir, *keep_dir;

static void __attribute__((constructor)) begin(void) {
  const char *number = getenv("FAULT_AT"), *name = getenv("FAULT");
  at = number ? atol(number) : 0;
  for (int kind = ERROR; name && kind <= INTERRUPT; kind++)
    if (!strcmp(name, NAMES[kind])) fault = kind;
  read_dir = getenv("FAULT_READS");
  keep_dir = getenv("FAULT_KEEP");
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int count(void) {
  long number = __atomic_add_fetch(&num_calls, 1, __ATOMIC_SEQ_CST);
  return at > 0 && (number == at || ((fault == FULL || fault == INTERRUPT) && number > at)) ? fault : NOTHING;
}

/* Counts a call that changes something, and returns the fault that it has. */
static int next(void) { return read_dir ? NOTHING : count(); }

/* What a power cut takes: the files written, each with its length at its last synchronisation, and the renamed files, oldest
   first. */
enum { MAX = 4096, PATH = 4096 };
static struct { dev_t device; ino_t inode; int fd; off_t synced; } written[MAX];
static struct { char from[PATH], to[PATH], kept[PATH]; dev_t device; ino_t inode; } *renamed[MAX];
static int num_written, num_renamed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int cuts(void) { return fault == POWER || fault == ZEROS; }

/* Remembers a file that is about to be written, and the length that a power cut leaves of it. */
static void remember(int fd, int is_new) {
  struct stat found;
  if (!cuts() || fstat(fd, &found) || !S_ISREG(found.st_mode)) return;
  pthread_mutex_lock(&lock);
  int at = 0;
  while (at < num_written && (written[at].inode != found.st_ino || written[at].device != found.st_dev)) at++;
  if (at == num_written && at < MAX) {
    REAL(int, "open64", const char *, int, ...);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    written[at].fd = real(path, O_RDWR | O_CLOEXEC);
    written[at].device = found.st_dev;
    written[at].inode = found.st_ino;
    written[at].synced = is_new ? 0 : found.st_size;
    num_written++;
  }
  pthread_mutex_unlock(&lock);
}

static void synchronised(int fd) {
  struct stat found;
  if (!cuts() || fstat(fd, &found)) return;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < num_written; i++)
    if (written[i].inode == found.st_ino && written[i].device == found.st_dev) written[i].synced = found.st_size;
  for (int i = 0; S_ISDIR(found.st_mode) && i < num_renamed; i++)
    if (renamed[i] && renamed[i]->inode == found.st_ino && renamed[i]->device == found.st_dev) renamed[i] = NULL;
  pthread_mutex_unlock(&lock);
}

static void remember_rename(const char *from, const char *to) {
  struct stat parent;
  char path[PATH];
  if (!cuts() || !keep_dir || num_renamed == MAX) return;
  snprintf(path, sizeof path, "%s", to);
  char *end = strrchr(path, '/');
  if (end) *end = 0;
  if (stat(end ? path : ".", &parent)) return;
  pthread_mutex_lock(&lock);
  int at = num_renamed++;
  renamed[at] = calloc(1, sizeof *renamed[at]);
  if (!renamed[at]) abort();
  snprintf(renamed[at]->from, PATH, "%s", from);
  snprintf(renamed[at]->to, PATH, "%s", to);
  renamed[at]->device = parent.st_dev;
  renamed[at]->inode = parent.st_ino;
  snprintf(path, sizeof path, "%s/%d", keep_dir, at);
  REAL(int, "link", const char *, const char *);
  if (!real(to, path)) snprintf(renamed[at]->kept, PATH, "%s", path);
  pthread_mutex_unlock(&lock);
}

static void cut_power(void) {
  REAL(int, "rename", const char *, const char *);
  int (*cut)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate");
  for (int i = num_renamed - 1; i >= 0; i--) {
    if (!renamed[i]) continue;
    char lost[PATH];
    snprintf(lost, sizeof lost, "%s/lost-%d", keep_dir, i);
    /* The directory of the old name may have been removed since. */
    if (real(renamed[i]->to, renamed[i]->from)) real(renamed[i]->to, lost);
    if (*renamed[i]->kept) real(renamed[i]->kept, renamed[i]->to);
  }
  for (int i = 0; i < num_written; i++) {
    struct stat found;
    if (fstat(written[i].fd, &found) || found.st_size <= written[i].synced) continue;
    if (cut(written[i].fd, written[i].synced)) abort();
    if (fault == ZEROS && cut(written[i].fd, found.st_size)) abort();
  }
}

static void __attribute__((destructor)) end(void) {
  /* The power may also be cut when everything is written. */
  if (cuts() && at > num_calls) cut_power();
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

static int fails(int kind) {
  if (kind == POWER || kind == ZEROS) cut_power();
  if (kind == KILL || kind == POWER || kind == ZEROS) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = kind == FULL ? ENOSPC : EIO;
  return -1;
}

static int is_file(int fd) {
  struct stat found;
  return fd > 2 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (!is_file(fd)) return real(fd, bytes, count);
  int kind = next();
  remember(fd, 0);
  if (kind == NOTHING) return real(fd, bytes, count);
  if (kind != ERROR && count > 1 && num_calls == at) {
    ssize_t written = real(fd, bytes, count / 2);
    return kind == FULL ? written : fails(kind);
  }
  return fails(kind);
}

static int changes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT); }

/* Returns the fault of a call that reads the file at `path`, or asks about it. */
static int next_read(const char *path) {
  char real_path[PATH];
  if (!read_dir || !path || !realpath(path, real_path)) return NOTHING;
  size_t length = strlen(read_dir);
  return strncmp(real_path, read_dir, length) || (real_path[length] && real_path[length] != '/') ? NOTHING : count();
}

static int next_read_of(int fd) {
  char link[64];
  if (!read_dir || !is_file(fd)) return NOTHING;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return next_read(link);
}

static int open_as(const char *name, const char *path, int flags, mode_t mode) {
  int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
  /* Devices are no files of results. */
  if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6)) return real(path, flags, mode);
  int kind = changes(flags) ? next() : next_read(path);
  if (kind != NOTHING && kind != INTERRUPT) return fails(kind);
  int is_new = (flags & O_TRUNC) || ((flags & O_CREAT) && access(path, F_OK));
  int fd = real(path, flags, mode);
  if (fd >= 0 && changes(flags)) remember(fd, is_new);
  return fd;
}

static ssize_t read_as(const char *name, int fd, void *bytes, size_t count, off_t offset, int has_offset) {
  void *real = dlsym(RTLD_NEXT, name);
  static __thread int was_interrupted;
  int kind = next_read_of(fd);
  if (kind == ERROR) return fails(kind);
  if (kind == INTERRUPT) {
    was_interrupted = !was_interrupted;
    if (was_interrupted) {
      errno = EINTR;
      return -1;
    }
    if (count > 5) count = 5;
  }
  if (has_offset) return ((ssize_t(*)(int, void *, size_t, off_t))real)(fd, bytes, count, offset);
  return ((ssize_t(*)(int, void *, size_t))real)(fd, bytes, count);
}
ssize_t read(int fd, void *bytes, size_t count) { return read_as("read", fd, bytes, count, 0, 0); }
ssize_t pread(int fd, void *bytes, size_t count, off_t offset) { return read_as("pread", fd, bytes, count, offset, 1); }
ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) { return read_as("pread64", fd, bytes, count, offset, 1); }

int statx(int base, const char *restrict path, int flags, unsigned mask, struct statx *restrict found) {
  REAL(int, "statx", int, const char *restrict, int, unsigned, struct statx *restrict);
  /* The standard library asks without a path whether there is such a call; the compiler takes this for impossible. */
  const char *volatile given = path;
  const char *asked = given;
  int kind = asked && *asked ? next_read(asked) : next_read_of(base);
  return kind == ERROR ? fails(kind) : real(base, path, flags, mask, found);
}

DIR *opendir(const char *path) {
  REAL(DIR *, "opendir", const char *);
  if (next_read(path) != ERROR) return real(path);
  fails(ERROR);
  return NULL;
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
int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  int kind = next();
  if (kind != NOTHING) return fails(kind);
  remember_rename(from, to);
  return real(from, to);
}
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
#define SYNC(name)                                                                                                     \
  int name(int fd) {                                                                                                   \
    REAL(int, #name, int);                                                                                             \
    int kind = next();                                                                                                 \
    if (kind != NOTHING) return fails(kind);                                                                           \
    synchronised(fd);                                                                                                  \
    /* What is on the disk is simulated, so no test waits for a disk. */                                               \
    return cuts() ? 0 : real(fd);                                                                                      \
  }
SYNC(fsync)
SYNC(fdatasync)
