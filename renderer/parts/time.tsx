import { useNow } from '../clock.ts';
import { useTexts } from '../texts.ts';

/** How long ago something was, put into words by `say` where that is given; the full time on hover. */
export function Ago({ time, say = (ago) => ago }: { time: string; say?: (ago: string) => string }) {
  const { formats } = useTexts();
  const now = useNow();
  const then = new Date(time);
  return (
    <time dateTime={time} title={formats.full(then)}>
      {say(formats.ago(then, now))}
    </time>
  );
}

/** How long something took, or has taken so far. */
export function Took({ from, to }: { from: string; to?: string }) {
  return to === undefined ? <TakesSoFar from={from} /> : <Length ms={Date.parse(to) - Date.parse(from)} />;
}

/** A length of time. */
export function Length({ ms }: { ms: number }) {
  const { formats } = useTexts();
  return <span className="number">{formats.duration(ms)}</span>;
}

function TakesSoFar({ from }: { from: string }) {
  const { formats } = useTexts();
  // Whole seconds: tenths that change each second would only flicker.
  const ms = Math.max(0, useNow().getTime() - Date.parse(from));
  return <span className="number">{formats.duration(Math.round(ms / 1000) * 1000)}</span>;
}
