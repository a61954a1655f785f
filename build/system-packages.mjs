import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The one table of Debian and Ubuntu packages, by what they are for. Names after a `|` are
 * what other releases call the same package. On other systems, the programs tell whether
 * what is needed is there.
 *
 * @typedef {keyof typeof table} Purpose
 */
const table = {
  /** A desktop without a screen, and the libraries with which it is operated. */
  session: {
    packages: [
      'xvfb',
      'openbox',
      'picom',
      'at-spi2-core',
      'dbus-daemon|dbus',
      'dbus-bin|dbus',
      'dbus-session-bus-common|dbus',
      'libx11-6',
      'libxext6',
      'libxtst6',
      'libxcomposite1',
      'libxss1',
      'fonts-dejavu-core',
    ],
    programs: ['Xvfb', 'openbox', 'picom', 'dbus-daemon', 'dbus-send'],
  },
  /** The application that the demo operates. */
  demo: { packages: ['homebank'], programs: ['homebank'] },
  /** Applications that the tests operate, and tools that judge them from outside. */
  applications: {
    packages: ['zenity', 'mousepad', 'yad', 'x11-utils', 'x11-xserver-utils', 'xdotool', 'fonts-ipafont-gothic'],
    programs: ['zenity', 'mousepad', 'yad', 'xprop', 'xmodmap', 'xdotool'],
  },
  /** Shared libraries of Electron. */
  electron: {
    packages: [
      'libnss3',
      'libnspr4',
      'libgtk-3-0|libgtk-3-0t64',
      'libglib2.0-0|libglib2.0-0t64',
      'libatk1.0-0|libatk1.0-0t64',
      'libatk-bridge2.0-0|libatk-bridge2.0-0t64',
      'libatspi2.0-0|libatspi2.0-0t64',
      'libcups2|libcups2t64',
      'libasound2|libasound2t64',
      'libgbm1',
      'libdrm2',
      'libxkbcommon0',
      'libxcb1',
      'libexpat1',
      'libudev1',
    ],
    programs: [],
  },
  /** What the bench compares us with. */
  bench: {
    packages: ['python3-pyatspi', 'gir1.2-atspi-2.0', 'scrot', 'gtk-3-examples', 'poppler-utils', 'python3-openpyxl'],
    programs: ['scrot', 'pdftotext'],
  },
};

/**
 * Installs the packages that are missing; does nothing when none is. Throws an error that
 * says what to run where it may not install.
 *
 * @param {Purpose[]} purposes
 */
export function installSystemPackages(purposes) {
  if (purposes.length === 0) return;
  if (process.platform !== 'linux') {
    throw new Error(`this needs a Linux system (its desktop sessions run on X11), not ${process.platform}`);
  }
  if (isDebian()) installWithApt(missingPackages(purposes));
  else requirePrograms(purposes);
}

/** @param {string[]} missing */
function installWithApt(missing) {
  if (missing.length === 0) return;
  const asRoot = rootPrefix();
  if (asRoot === undefined) {
    const install = `apt-get install -y --no-install-recommends ${missing.map(firstName).join(' ')}`;
    throw new Error(
      `system packages are missing, and only root may install them. Run this, then try again:\n\n  sudo sh -c 'apt-get update && ${install}'\n`,
    );
  }
  console.error(`Installing ${missing.length} system packages …`);
  apt(asRoot, ['update']);
  apt(asRoot, ['install', '-y', '--no-install-recommends', ...missing.map(availableName)]);
}

/**
 * @param {string[]} asRoot
 * @param {string[]} args
 */
function apt(asRoot, args) {
  const [program = '', ...rest] = [
    ...asRoot,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    '-qq',
    // Another installation may be under way.
    '-o',
    'DPkg::Lock::Timeout=300',
    ...args,
  ];
  const { status, stdout, stderr, error } = spawnSync(program, rest, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status === 0) return;
  const output = `${stdout}${stderr}`.trim().split('\n').slice(-25).join('\n');
  throw new Error(`apt-get ${args[0]} failed${error ? `: ${error.message}` : ''}\n${output}`);
}

/** What goes before a command so that root runs it; undefined where that needs a password. */
function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined;
}

/** @param {Purpose[]} purposes */
function missingPackages(purposes) {
  const wanted = [...new Set(purposes.flatMap((purpose) => table[purpose].packages))];
  const names = wanted.flatMap((entry) => entry.split('|'));
  const format = '-f=${db:Status-Status} ${Package}\n';
  // Its exit code tells only that one of the names is unknown.
  const { stdout } = spawnSync('dpkg-query', ['-W', format, ...names], {
    encoding: 'utf8',
  });
  const installed = new Set(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('installed '))
      .map((line) => line.slice(10)),
  );
  return wanted.filter((entry) => !entry.split('|').some((name) => installed.has(name)));
}

/** @param {string} entry */
function firstName(entry) {
  return entry.split('|')[0] ?? entry;
}

/**
 * Which of a package's names this release has.
 *
 * @param {string} entry
 */
function availableName(entry) {
  const names = entry.split('|');
  if (names.length === 1) return entry;
  const { stdout } = spawnSync('apt-cache', ['--no-all-versions', 'show', ...names], { encoding: 'utf8' });
  return names.find((name) => stdout.split('\n').includes(`Package: ${name}`)) ?? firstName(entry);
}

/** @param {Purpose[]} purposes */
function requirePrograms(purposes) {
  const missing = purposes.flatMap((purpose) => table[purpose].programs).filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  const packages = purposes.flatMap((purpose) => table[purpose].packages.map(firstName));
  throw new Error(
    `these programs are missing: ${missing.join(', ')}. Install what your system has in place of these Debian packages: ${packages.join(' ')}`,
  );
}

/** @param {string} program */
function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false; // not in this folder
    }
  });
}

function isDebian() {
  if (!existsSync('/etc/os-release') || !isInstalled('apt-get')) return false;
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
}
