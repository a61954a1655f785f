import { type FormEvent, useCallback, useState } from 'react';
import type { AppSettings, ChangeableSettings, TrustPolicy } from '../../core/contract/settings.ts';
import { useAction } from '../action.ts';
import { call, failureWords } from '../bridge.ts';
import { useLive } from '../live.ts';
import { Field } from '../parts/field.tsx';
import { PageHeading } from '../parts/heading.tsx';
import { Alert, Failing, Loading } from '../parts/states.tsx';
import { useTexts } from '../texts.ts';
import { useTitle } from '../title.ts';
import '../styles/form.css';
import '../styles/allow.css';

/** What a person may set, and what is set for them. */
export function SettingsPage() {
  const { words } = useTexts();
  useTitle(words.settings.title);
  const load = useCallback(() => call('getSettings', {}), []);
  const { value, error, reload } = useLive(load, onSettingsChanged);
  return (
    <div className="page">
      <header className="page-header">
        <PageHeading>{words.settings.title}</PageHeading>
      </header>
      {error !== undefined ? (
        <Failing title={words.settings.failedTitle} error={error} retry={reload} />
      ) : value === undefined ? (
        <Loading />
      ) : (
        <>
          <SettingsForm settings={value} />
          <Policy policy={value.trust} />
        </>
      )}
    </div>
  );
}

const megabyte = 1_000_000;

/** The numbers of the form, as they are typed. */
interface Numbers {
  maxActiveRuns: string;
  maxAgeDays: string;
  maxRuns: string;
  megabytes: string;
}

const ranges: Record<keyof Numbers, { from: number; to: number; optional: boolean }> = {
  maxActiveRuns: { from: 1, to: 100, optional: false },
  maxAgeDays: { from: 1, to: 36_500, optional: true },
  maxRuns: { from: 1, to: 1_000_000, optional: true },
  megabytes: { from: 1, to: 1_000_000_000, optional: true },
};

function SettingsForm({ settings }: { settings: AppSettings }) {
  const { words, formats } = useTexts();
  const texts = words.settings;
  const [numbers, setNumbers] = useState(numbersOf(settings));
  const [enabled, setEnabled] = useState(settings.schedules.enabled);
  const save = useAction(() => call('changeSettings', changeable(numbers, enabled)));
  const problemOf = (name: keyof Numbers) => {
    const { from, to, optional } = ranges[name];
    const text = numbers[name].trim();
    const isRight = text === '' ? optional : /^\d+$/.test(text) && Number(text) >= from && Number(text) <= to;
    return isRight ? undefined : texts.range(formats.number(from), formats.number(to));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (Object.keys(ranges).every((name) => problemOf(name as keyof Numbers) === undefined)) save.run();
  };
  const input = (name: keyof Numbers, label: string, hint?: string) => (
    <Field label={label} hint={hint} problem={problemOf(name)}>
      {({ id, describedBy, invalid }) => (
        <input
          id={id}
          inputMode="numeric"
          value={numbers[name]}
          aria-invalid={invalid}
          aria-describedby={describedBy}
          onChange={(event) => setNumbers({ ...numbers, [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <form className="form" noValidate onSubmit={submit}>
      <fieldset>
        <legend>{texts.schedules}</legend>
        <label className="check">
          <input type="checkbox" checked={enabled} onChange={(event) => setEnabled(event.target.checked)} />
          {texts.schedulesOn}
        </label>
        <p className="quiet">{texts.schedulesHint}</p>
      </fieldset>
      <fieldset>
        <legend>{texts.queue}</legend>
        {input('maxActiveRuns', texts.maxActiveRuns, texts.maxActiveRunsHint)}
      </fieldset>
      <fieldset>
        <legend>{texts.retention}</legend>
        <p className="quiet">{texts.retentionHint}</p>
        {input('maxAgeDays', texts.maxAgeDays)}
        {input('maxRuns', texts.maxRuns)}
        {input('megabytes', texts.maxMegabytes)}
      </fieldset>
      {save.failure !== undefined && <Alert title={texts.saveFailed}>{failureWords(save.failure, words)}</Alert>}
      <div className="form-actions">
        <button type="submit" className="primary" aria-disabled={save.isGoing}>
          {save.isGoing ? texts.saving : texts.save}
        </button>
        <span role="status" className="quiet">
          {save.isDone ? texts.saved : ''}
        </span>
      </div>
    </form>
  );
}

function numbersOf({ queue, retention }: AppSettings): Numbers {
  const text = (value: number | undefined) => (value === undefined ? '' : String(value));
  const { maxAgeDays, maxRuns, maxBytes } = retention;
  return {
    maxActiveRuns: String(queue.maxActiveRuns),
    maxAgeDays: text(maxAgeDays),
    maxRuns: text(maxRuns),
    megabytes: text(maxBytes === undefined ? undefined : Math.round(maxBytes / megabyte)),
  };
}

function changeable({ maxActiveRuns, maxAgeDays, maxRuns, megabytes }: Numbers, enabled: boolean): ChangeableSettings {
  return {
    schedules: { enabled },
    queue: { maxActiveRuns: Number(maxActiveRuns) },
    retention: {
      ...(maxAgeDays.trim() !== '' && { maxAgeDays: Number(maxAgeDays) }),
      ...(maxRuns.trim() !== '' && { maxRuns: Number(maxRuns) }),
      ...(megabytes.trim() !== '' && { maxBytes: Number(megabytes) * megabyte }),
    },
  };
}

function Policy({ policy: { folders, hashes } }: { policy: TrustPolicy }) {
  const { words } = useTexts();
  const texts = words.settings;
  return (
    <section aria-label={texts.trust}>
      <h2>{texts.trust}</h2>
      <p className="quiet">{texts.trustText}</p>
      {folders.length === 0 && hashes.length === 0 ? (
        <p>{texts.trustNothing}</p>
      ) : (
        <dl className="facts-list">
          {[
            { name: texts.trustFolders, values: folders },
            { name: texts.trustHashes, values: hashes },
          ].map(({ name, values }) =>
            values.length === 0 ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {values.map((value) => (
                    <p key={value}>{value}</p>
                  ))}
                </dd>
              </div>
            ),
          )}
        </dl>
      )}
    </section>
  );
}

function onSettingsChanged(changed: () => void): () => void {
  return window.dagu.on('settingsChanged', changed);
}
