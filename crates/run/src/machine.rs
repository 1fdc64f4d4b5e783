//! Memory available to this process, that of the machine or the limit of a control group; and its disk.
//!
//! Systems report it as text; the parsers are compiled and tested on all platforms.

use std::path::Path;

/// Bytes of memory, if the system reports them.
pub(crate) fn memory() -> Option<u64> {
    if cfg!(target_os = "macos") {
        return number(&output("/usr/sbin/sysctl", &["-n", "hw.memsize"])?);
    }
    if cfg!(windows) {
        // This program works on every version of Windows; it runs only if no memory budget is
        // given.
        let ask = "(Get-CimInstance Win32_ComputerSystem).TotalPhysicalMemory";
        return number(&output(
            "powershell.exe",
            &["-NoProfile", "-NonInteractive", "-Command", ask],
        )?);
    }
    linux(&|path| std::fs::read_to_string(path).ok())
}

/// Bytes that are free to this user on the disk of a folder, if the system reports them.
#[cfg(unix)]
pub(crate) fn free_disk(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// Bytes that are free to this user on the disk of a folder, if the system reports them.
#[cfg(not(unix))]
pub(crate) fn free_disk(_folder: &Path) -> Option<u64> {
    None
}

/// The output of a program, if it can be run.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = std::process::Command::new(program);
    let done = command.args(arguments).stdin(std::process::Stdio::null()).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).into_owned())
}

/// A number on a line of its own.
fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|&bytes| bytes > 0)
}

/// The minimum of the machine's memory and of the limits of this process's control groups, whose
/// files `read` reads.
fn linux(read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let all = kibibytes(&read(Path::new("/proc/meminfo"))?, "MemTotal:")? * 1024;
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().filter_map(|line| {
        // hierarchy:controllers:path; version 2 is hierarchy 0 without controllers.
        let mut parts = line.splitn(3, ':');
        let (hierarchy, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        match controllers {
            "" if hierarchy == "0" => limit(read, "/sys/fs/cgroup", path, "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                limit(read, "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes")
            }
            _ => None,
        }
    });
    Some(limits.fold(all, u64::min))
}

/// The minimum limit of a group and of those that contain it. A container may see its own group as
/// the root, under a path that does not exist there: a missing file is no limit.
fn limit(
    read: &dyn Fn(&Path) -> Option<String>,
    root: &str,
    path: &str,
    file: &str,
) -> Option<u64> {
    let group = Path::new(root).join(path.trim_start_matches('/'));
    let around = group.ancestors().take_while(|folder| folder.starts_with(root));
    // "max", and in version 1 a number near 2^63, is no limit.
    around.filter_map(|folder| number(&read(&folder.join(file))?)).min()
}

/// The value of a line `name: 123 kB`.
pub(crate) fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: (&str, &str) =
        ("/proc/meminfo", "MemTotal:       24689708 kB\nMemFree:         1 kB\n");
    const ALL: u64 = 24_689_708 * 1024;

    fn of(files: &[(&str, &str)]) -> Option<u64> {
        linux(&|path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, content)| (*content).to_owned())
        })
    }

    #[test]
    fn a_machine_without_groups_is_all_there_is() {
        assert_eq!(of(&[MEMINFO]), Some(ALL));
        assert_eq!(of(&[]), None);
        assert_eq!(kibibytes(MEMINFO.1, "Memory:"), None);
    }

    #[test]
    fn groups_of_version_2_limit_what_is_below_them() {
        let group = ("/proc/self/cgroup", "0::/user.slice/job.scope\n");
        let own = ("/sys/fs/cgroup/user.slice/job.scope/memory.max", "max\n");
        let outer = ("/sys/fs/cgroup/user.slice/memory.max", "2147483648\n");
        assert_eq!(of(&[MEMINFO, group, own]), Some(ALL));
        assert_eq!(of(&[MEMINFO, group, own, outer]), Some(2 << 30));
        let own = (own.0, "1073741824\n");
        assert_eq!(of(&[MEMINFO, group, own, outer]), Some(1 << 30));
        // In a container, the group is the root.
        let container = ("/sys/fs/cgroup/memory.max", "536870912\n");
        assert_eq!(of(&[MEMINFO, ("/proc/self/cgroup", "0::/\n"), container]), Some(512 << 20));
        assert_eq!(of(&[MEMINFO, group, container]), Some(512 << 20));
    }

    #[test]
    fn groups_of_version_1_limit_what_is_below_them() {
        let groups = (
            "/proc/self/cgroup",
            "12:cpu,cpuacct:/docker/ab\n5:memory:/docker/ab\n1:name=systemd:/docker/ab\n0::/x\n",
        );
        let none =
            ("/sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(of(&[MEMINFO, groups, none]), Some(ALL));
        let limit = (none.0, "1073741824\n");
        assert_eq!(of(&[MEMINFO, groups, limit]), Some(1 << 30));
        let container = ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
        assert_eq!(of(&[MEMINFO, groups, container]), Some(256 << 20));
    }

    #[test]
    fn programs_of_other_systems_write_a_number() {
        assert_eq!(number("17179869184\n"), Some(16 << 30));
        assert_eq!(number("17179869184\r\n"), Some(16 << 30));
        for nothing in ["", "0\n", "max\n", "sysctl: unknown oid\n"] {
            assert_eq!(number(nothing), None, "{nothing:?}");
        }
    }
}
