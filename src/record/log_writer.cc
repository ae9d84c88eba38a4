#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tilewright/record/log.h"
#include "tilewright/support/error.h"

namespace tilewright::record {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

int open_log(const std::string& path) {
  return open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

// What is in the way, after open has failed with `error`.
std::string obstacle(const std::string& path, int error) {
  struct stat info {};
  if (error == EISDIR) return "it is a directory";
  if (error == ENOENT || error == ENOTDIR) {
    const size_t slash = path.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash);
    if (stat(parent.c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) {
      return fmt::format("'{}' is not a directory", parent);
    }
    if (error == ENOENT && stat(parent.empty() ? "/" : parent.c_str(), &info) == 0) {
      return fmt::format("no file can be made in '{}'", parent);
    }
    if (error == ENOTDIR) return fmt::format("a part of '{}' is not a directory", parent);
    return fmt::format("the directory '{}' does not exist", parent);
  }
  return std::strerror(error);
}

bool ends_inside_line(int fd, off_t size) {
  char last = '\n';
  return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

}  // namespace

LogWriter::LogWriter(std::string path) : path_(std::move(path)) {
  if (path_.empty()) fail("log.unwritable", "the name of the log is empty");
  const Descriptor fd(open_log(path_));
  if (fd.get() < 0) {
    fail("log.unwritable", "cannot write the log '{}': {}", path_, obstacle(path_, errno));
  }
  struct stat info {};
  if (fstat(fd.get(), &info) == 0 && !S_ISREG(info.st_mode)) {
    fail("log.unwritable", "cannot write the log '{}': it is not a regular file", path_);
  }
}

void LogWriter::append_line(std::string_view line) {
  const Descriptor fd(open_log(path_));
  if (fd.get() < 0) {
    fail("log.write", "cannot append to the log '{}': {}", path_, obstacle(path_, errno));
  }
  while (flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) fail("log.write", "cannot lock '{}': {}", path_, std::strerror(errno));
  }
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) {
    fail("log.write", "cannot read the size of '{}': {}", path_, std::strerror(errno));
  }
  std::string text = ends_inside_line(fd.get(), info.st_size) ? "\n" : "";
  text.append(line).push_back('\n');
  const ssize_t written = write(fd.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  const int error = written < 0 ? errno : ENOSPC;
  // Half a line is taken back: nobody else can have written meanwhile.
  if (written > 0 && ftruncate(fd.get(), info.st_size) != 0) {
    fail("log.write", "half a line was written to '{}' and cannot be taken back: {}", path_,
         std::strerror(errno));
  }
  fail("log.write", "cannot append to the log '{}': {}", path_, std::strerror(error));
}

}  // namespace tilewright::record
