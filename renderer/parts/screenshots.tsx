import { ChevronLeft, ChevronRight, ImageOff, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '../bridge.ts';
import { useTexts } from '../texts.ts';

/** The screenshots of one run, each read once, when it is first shown. */
export class ScreenshotStore {
  readonly #runId: string;
  readonly #read = new Map<string, Promise<string>>();

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** An address that an `img` can show, until {@link drop}. */
  address(file: string): Promise<string> {
    let reading = this.#read.get(file);
    if (reading === undefined) {
      reading = call('readScreenshot', { runId: this.#runId, file }).then(({ png }) =>
        URL.createObjectURL(new Blob([new Uint8Array(png)], { type: 'image/png' })),
      );
      this.#read.set(file, reading);
    }
    return reading;
  }

  /** Gives back the memory of all that was read. */
  drop(): void {
    for (const reading of this.#read.values()) reading.then(URL.revokeObjectURL, () => {});
    this.#read.clear();
  }
}

/** The store of a run's screenshots, as long as the component is there. */
export function useScreenshots(runId: string): ScreenshotStore {
  const [store] = useState(() => new ScreenshotStore(runId));
  useEffect(() => () => store.drop(), [store]);
  return store;
}

interface ScreenshotsProps {
  files: string[];
  /** All that the page shows: the arrow keys go on through them from the one that was opened. */
  all: string[];
  of: ScreenshotStore;
}

/** Thumbnails of screenshots, each of which opens large. */
export function Screenshots({ files, all, of: store }: ScreenshotsProps) {
  const { words } = useTexts();
  const [open, setOpen] = useState<string>();
  if (files.length === 0) return null;
  return (
    <div className="thumbnails">
      {files.map((file) => (
        <button
          key={file}
          type="button"
          className="thumbnail"
          aria-label={words.run.openScreenshot(all.indexOf(file) + 1, all.length)}
          onClick={() => setOpen(file)}
        >
          <Screenshot file={file} store={store} alt="" />
        </button>
      ))}
      {open !== undefined && (
        <Large files={all} store={store} first={all.indexOf(open)} close={() => setOpen(undefined)} />
      )}
    </div>
  );
}

interface LargeProps {
  files: string[];
  store: ScreenshotStore;
  first: number;
  close(): void;
}

function Large({ files, store, first, close }: LargeProps) {
  const { words } = useTexts();
  const [index, setIndex] = useState(first);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const go = (by: number) => setIndex((now) => Math.min(files.length - 1, Math.max(0, now + by)));
  const file = files[index];
  const title = words.run.screenshot(index + 1, files.length);
  return (
    <dialog
      ref={dialog}
      className="large"
      aria-label={words.run.screenshots}
      onClose={close}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') go(-1);
        if (event.key === 'ArrowRight') go(1);
      }}
    >
      <header>
        <p role="status">{title}</p>
        <button
          type="button"
          disabled={index === 0}
          aria-label={words.run.previous}
          title={words.run.previous}
          onClick={() => go(-1)}
        >
          <ChevronLeft size={16} aria-hidden />
        </button>
        <button
          type="button"
          disabled={index === files.length - 1}
          aria-label={words.run.next}
          title={words.run.next}
          onClick={() => go(1)}
        >
          <ChevronRight size={16} aria-hidden />
        </button>
        <button
          type="button"
          aria-label={words.run.close}
          title={words.run.close}
          onClick={() => dialog.current?.close()}
        >
          <X size={16} aria-hidden />
        </button>
      </header>
      {file !== undefined && <Screenshot key={file} file={file} store={store} alt={title} />}
    </dialog>
  );
}

function Screenshot({ file, store, alt }: { file: string; store: ScreenshotStore; alt: string }) {
  const { words } = useTexts();
  const [address, setAddress] = useState<string>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let shown = true;
    store.address(file).then(
      (found) => shown && setAddress(found),
      () => shown && setFailed(true),
    );
    return () => {
      shown = false;
    };
  }, [file, store]);
  if (failed) {
    return (
      <span className="no-picture">
        <ImageOff size={16} aria-hidden />
        {words.run.screenshotFailed}
      </span>
    );
  }
  return address === undefined ? <span className="no-picture" /> : <img src={address} alt={alt} />;
}
