import koffi, { type LibraryHandle } from 'koffi';
import { CallError } from '../../core/contract/protocol.ts';

/**
 * The system's X libraries, called through koffi. Results that Xlib writes through
 * pointers go into Buffers of the caller: eight bytes for what C calls a long.
 * Layouts are those of 64-bit Linux.
 */

/** An address; null is C's null pointer. */
export type Pointer = bigint | null;
/** A window, pixmap or atom of the X server. */
export type XId = number;

const display = 'void *';
const xid = 'ulong';
const pointer = 'void *';

export const windowAttributes = koffi.struct('XWindowAttributes', {
  x: 'int',
  y: 'int',
  width: 'int',
  height: 'int',
  border_width: 'int',
  depth: 'int',
  visual: pointer,
  root: xid,
  class: 'int',
  bit_gravity: 'int',
  win_gravity: 'int',
  backing_store: 'int',
  backing_planes: 'ulong',
  backing_pixel: 'ulong',
  save_under: 'int',
  colormap: xid,
  map_installed: 'int',
  map_state: 'int',
  all_event_masks: 'long',
  your_event_mask: 'long',
  do_not_propagate_mask: 'long',
  override_redirect: 'int',
  screen: pointer,
});

/** What {@link windowAttributes} decodes to, as far as it is used. */
export interface WindowAttributes {
  width: number;
  height: number;
  border_width: number;
  depth: number;
  visual: bigint;
  map_state: number;
  override_redirect: number;
}

export const image = koffi.struct('XImage', {
  width: 'int',
  height: 'int',
  xoffset: 'int',
  format: 'int',
  data: pointer,
  byte_order: 'int',
  bitmap_unit: 'int',
  bitmap_bit_order: 'int',
  bitmap_pad: 'int',
  depth: 'int',
  bytes_per_line: 'int',
  bits_per_pixel: 'int',
});

export const errorEvent = koffi.struct('XErrorEvent', {
  type: 'int',
  display: pointer,
  resourceid: 'ulong',
  serial: 'ulong',
  error_code: 'uchar',
  request_code: 'uchar',
  minor_code: 'uchar',
});

export const errorHandler = koffi.proto('int XErrorHandler(void *display, XErrorEvent *event)');
export const ioErrorHandler = koffi.proto('int XIOErrorHandler(void *display)');
export const ioErrorExitHandler = koffi.proto('void XIOErrorExitHandler(void *display, void *data)');

function open(name: string, packageName: string): LibraryHandle {
  try {
    return koffi.load(name);
  } catch (error) {
    throw new CallError(
      'load_failed',
      `the library ${name} cannot be loaded; install it (Debian: ${packageName}): ${(error as Error).message}`,
    );
  }
}

/** One function of a library, with the type that its C declaration means here. */
function bind<F>(library: LibraryHandle, name: string, result: string, parameters: string[]): F {
  return library.func(name, result, parameters) as unknown as F;
}

function bindX11(lib: LibraryHandle) {
  return {
    XOpenDisplay: bind<(name: string | null) => Pointer>(lib, 'XOpenDisplay', display, ['const char *']),
    XCloseDisplay: bind<(d: Pointer) => number>(lib, 'XCloseDisplay', 'int', [display]),
    XDefaultRootWindow: bind<(d: Pointer) => XId>(lib, 'XDefaultRootWindow', xid, [display]),
    XSetErrorHandler: bind<(handler: bigint) => Pointer>(lib, 'XSetErrorHandler', pointer, [pointer]),
    XSetIOErrorHandler: bind<(handler: bigint) => Pointer>(lib, 'XSetIOErrorHandler', pointer, [pointer]),
    XSync: bind<(d: Pointer, discard: number) => number>(lib, 'XSync', 'int', [display, 'int']),
    XFlush: bind<(d: Pointer) => number>(lib, 'XFlush', 'int', [display]),
    XFree: bind<(data: Pointer) => number>(lib, 'XFree', 'int', [pointer]),
    XGetErrorText: bind<(d: Pointer, code: number, text: Buffer, length: number) => number>(
      lib,
      'XGetErrorText',
      'int',
      [display, 'int', pointer, 'int'],
    ),
    XInternAtom: bind<(d: Pointer, name: string, onlyIfExists: number) => XId>(lib, 'XInternAtom', xid, [
      display,
      'const char *',
      'int',
    ]),
    XGetWindowProperty: bind<
      (
        d: Pointer,
        window: XId,
        property: XId,
        offset: number,
        length: number,
        remove: number,
        type: XId,
        actualType: Buffer,
        format: Buffer,
        count: Buffer,
        left: Buffer,
        data: Buffer,
      ) => number
    >(lib, 'XGetWindowProperty', 'int', [
      display,
      xid,
      xid,
      'long',
      'long',
      'int',
      xid,
      pointer,
      pointer,
      pointer,
      pointer,
      pointer,
    ]),
    XChangeProperty: bind<
      (
        d: Pointer,
        window: XId,
        property: XId,
        type: XId,
        format: number,
        mode: number,
        data: Buffer,
        count: number,
      ) => number
    >(lib, 'XChangeProperty', 'int', [display, xid, xid, xid, 'int', 'int', pointer, 'int']),
    XGetWindowAttributes: bind<(d: Pointer, window: XId, attributes: Partial<WindowAttributes>) => number>(
      lib,
      'XGetWindowAttributes',
      'int',
      [display, xid, '_Out_ XWindowAttributes *'],
    ),
    XTranslateCoordinates: bind<
      (d: Pointer, from: XId, to: XId, x: number, y: number, outX: Buffer, outY: Buffer, child: Buffer) => number
    >(lib, 'XTranslateCoordinates', 'int', [display, xid, xid, 'int', 'int', pointer, pointer, pointer]),
    XQueryTree: bind<
      (d: Pointer, window: XId, root: Buffer, parent: Buffer, children: Buffer, count: Buffer) => number
    >(lib, 'XQueryTree', 'int', [display, xid, pointer, pointer, pointer, pointer]),
    XQueryPointer: bind<
      (
        d: Pointer,
        window: XId,
        root: Buffer,
        child: Buffer,
        rootX: Buffer,
        rootY: Buffer,
        x: Buffer,
        y: Buffer,
        mask: Buffer,
      ) => number
    >(lib, 'XQueryPointer', 'int', [display, xid, pointer, pointer, pointer, pointer, pointer, pointer, pointer]),
    XGetInputFocus: bind<(d: Pointer, window: Buffer, revert: Buffer) => number>(lib, 'XGetInputFocus', 'int', [
      display,
      pointer,
      pointer,
    ]),
    XSendEvent: bind<(d: Pointer, window: XId, propagate: number, mask: number, event: Buffer) => number>(
      lib,
      'XSendEvent',
      'int',
      [display, xid, 'int', 'long', pointer],
    ),
    XSelectInput: bind<(d: Pointer, window: XId, mask: number) => number>(lib, 'XSelectInput', 'int', [
      display,
      xid,
      'long',
    ]),
    XWindowEvent: bind<(d: Pointer, window: XId, mask: number, event: Buffer) => number>(lib, 'XWindowEvent', 'int', [
      display,
      xid,
      'long',
      pointer,
    ]),
    XCheckTypedEvent: bind<(d: Pointer, type: number, event: Buffer) => number>(lib, 'XCheckTypedEvent', 'int', [
      display,
      'int',
      pointer,
    ]),
    XPending: bind<(d: Pointer) => number>(lib, 'XPending', 'int', [display]),
    XNextEvent: bind<(d: Pointer, event: Buffer) => number>(lib, 'XNextEvent', 'int', [display, pointer]),
    XCreateSimpleWindow: bind<
      (
        d: Pointer,
        parent: XId,
        x: number,
        y: number,
        width: number,
        height: number,
        border: number,
        borderPixel: number,
        background: number,
      ) => XId
    >(lib, 'XCreateSimpleWindow', xid, [display, xid, 'int', 'int', 'uint', 'uint', 'uint', 'ulong', 'ulong']),
    XGetImage: bind<
      (
        d: Pointer,
        drawable: XId,
        x: number,
        y: number,
        width: number,
        height: number,
        planes: number,
        format: number,
      ) => Pointer
    >(lib, 'XGetImage', pointer, [display, xid, 'int', 'int', 'uint', 'uint', 'ulong', 'int']),
    XDestroyImage: bind<(image: Pointer) => number>(lib, 'XDestroyImage', 'int', [pointer]),
    XFreePixmap: bind<(d: Pointer, pixmap: XId) => number>(lib, 'XFreePixmap', 'int', [display, xid]),
    XDisplayKeycodes: bind<(d: Pointer, low: Buffer, high: Buffer) => number>(lib, 'XDisplayKeycodes', 'int', [
      display,
      pointer,
      pointer,
    ]),
    XGetKeyboardMapping: bind<(d: Pointer, first: number, count: number, perKeycode: Buffer) => Pointer>(
      lib,
      'XGetKeyboardMapping',
      pointer,
      [display, 'uchar', 'int', pointer],
    ),
    XkbGetMap: bind<(d: Pointer, which: number, device: number) => Pointer>(lib, 'XkbGetMap', pointer, [
      display,
      'uint',
      'uint',
    ]),
    XkbChangeMap: bind<(d: Pointer, map: Pointer, changes: Buffer) => number>(lib, 'XkbChangeMap', 'int', [
      display,
      pointer,
      pointer,
    ]),
    XkbChangeTypesOfKey: bind<
      (map: Pointer, key: number, groups: number, mask: number, types: Buffer, changes: Pointer) => number
    >(lib, 'XkbChangeTypesOfKey', 'int', [pointer, 'int', 'int', 'uint', pointer, pointer]),
    XkbResizeKeySyms: bind<(map: Pointer, key: number, count: number) => Pointer>(lib, 'XkbResizeKeySyms', pointer, [
      pointer,
      'int',
      'int',
    ]),
    XkbFreeKeyboard: bind<(map: Pointer, which: number, all: number) => void>(lib, 'XkbFreeKeyboard', 'void', [
      pointer,
      'uint',
      'int',
    ]),
    XkbGetState: bind<(d: Pointer, device: number, state: Buffer) => number>(lib, 'XkbGetState', 'int', [
      display,
      'uint',
      pointer,
    ]),
    XkbLockGroup: bind<(d: Pointer, device: number, group: number) => number>(lib, 'XkbLockGroup', 'int', [
      display,
      'uint',
      'uint',
    ]),
  };
}

function bindXTest(lib: LibraryHandle) {
  return {
    XTestFakeMotionEvent: bind<(d: Pointer, screen: number, x: number, y: number, delay: number) => number>(
      lib,
      'XTestFakeMotionEvent',
      'int',
      [display, 'int', 'int', 'int', 'ulong'],
    ),
    XTestFakeButtonEvent: bind<(d: Pointer, button: number, down: number, delay: number) => number>(
      lib,
      'XTestFakeButtonEvent',
      'int',
      [display, 'uint', 'int', 'ulong'],
    ),
    XTestFakeKeyEvent: bind<(d: Pointer, keycode: number, down: number, delay: number) => number>(
      lib,
      'XTestFakeKeyEvent',
      'int',
      [display, 'uint', 'int', 'ulong'],
    ),
  };
}

function bindExtensions(ext: LibraryHandle, composite: LibraryHandle) {
  return {
    XShmQueryExtension: bind<(d: Pointer) => number>(ext, 'XShmQueryExtension', 'int', [display]),
    XShmCreateImage: bind<
      (
        d: Pointer,
        visual: Pointer,
        depth: number,
        format: number,
        data: Pointer,
        segment: Buffer,
        width: number,
        height: number,
      ) => Pointer
    >(ext, 'XShmCreateImage', pointer, [display, pointer, 'uint', 'int', pointer, pointer, 'uint', 'uint']),
    XShmAttach: bind<(d: Pointer, segment: Buffer) => number>(ext, 'XShmAttach', 'int', [display, pointer]),
    XShmDetach: bind<(d: Pointer, segment: Buffer) => number>(ext, 'XShmDetach', 'int', [display, pointer]),
    XShmGetImage: bind<(d: Pointer, drawable: XId, image: Pointer, x: number, y: number, planes: number) => number>(
      ext,
      'XShmGetImage',
      'int',
      [display, xid, pointer, 'int', 'int', 'ulong'],
    ),
    XCompositeQueryExtension: bind<(d: Pointer, event: Buffer, error: Buffer) => number>(
      composite,
      'XCompositeQueryExtension',
      'int',
      [display, pointer, pointer],
    ),
    XCompositeRedirectWindow: bind<(d: Pointer, window: XId, update: number) => void>(
      composite,
      'XCompositeRedirectWindow',
      'void',
      [display, xid, 'int'],
    ),
    XCompositeNameWindowPixmap: bind<(d: Pointer, window: XId) => XId>(composite, 'XCompositeNameWindowPixmap', xid, [
      display,
      xid,
    ]),
  };
}

function bindLibc(lib: LibraryHandle) {
  return {
    memcpy: bind<(to: Buffer, from: Pointer, length: number) => Pointer>(lib, 'memcpy', pointer, [
      pointer,
      pointer,
      'size_t',
    ]),
    shmget: bind<(key: number, size: number, flags: number) => number>(lib, 'shmget', 'int', ['int', 'size_t', 'int']),
    shmat: bind<(id: number, address: Pointer, flags: number) => Pointer>(lib, 'shmat', pointer, [
      'int',
      pointer,
      'int',
    ]),
    shmdt: bind<(address: Pointer) => number>(lib, 'shmdt', 'int', [pointer]),
    shmctl: bind<(id: number, command: number, buffer: Pointer) => number>(lib, 'shmctl', 'int', [
      'int',
      'int',
      pointer,
    ]),
  };
}

export type XLibraries = ReturnType<typeof bindX11> &
  ReturnType<typeof bindXTest> &
  ReturnType<typeof bindExtensions> &
  ReturnType<typeof bindLibc> & {
    /** Xlib from 1.7 on: without it a lost display ends the process. */
    XSetIOErrorExitHandler?: (d: Pointer, handler: bigint, data: Pointer) => void;
    /** Where the screen saver extension's library is installed. */
    XScreenSaverSuspend?: (d: Pointer, suspend: number) => void;
  };

let loaded: XLibraries | undefined;

/**
 * Loads the X libraries, once.
 *
 * @throws CallError `load_failed`, naming the library that is missing and its package
 */
export function loadLibraries(): XLibraries {
  if (loaded !== undefined) return loaded;
  const x11 = open('libX11.so.6', 'libx11-6');
  const libraries: XLibraries = {
    ...bindX11(x11),
    ...bindXTest(open('libXtst.so.6', 'libxtst6')),
    ...bindExtensions(open('libXext.so.6', 'libxext6'), open('libXcomposite.so.1', 'libxcomposite1')),
    ...bindLibc(open('libc.so.6', 'libc6')),
  };
  const exitHandler = ifThere(() =>
    bind<NonNullable<XLibraries['XSetIOErrorExitHandler']>>(x11, 'XSetIOErrorExitHandler', 'void', [
      display,
      pointer,
      pointer,
    ]),
  );
  if (exitHandler !== undefined) libraries.XSetIOErrorExitHandler = exitHandler;
  const suspend = ifThere(() =>
    bind<NonNullable<XLibraries['XScreenSaverSuspend']>>(koffi.load('libXss.so.1'), 'XScreenSaverSuspend', 'void', [
      display,
      'int',
    ]),
  );
  if (suspend !== undefined) libraries.XScreenSaverSuspend = suspend;
  loaded = libraries;
  return libraries;
}

/** koffi throws for a library or function that is not there; both of these may be missing. */
function ifThere<T>(load: () => T): T | undefined {
  try {
    return load();
  } catch {
    return undefined;
  }
}
