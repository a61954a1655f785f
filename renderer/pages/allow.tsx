import { ShieldCheck } from 'lucide-react';
import { type ReactNode, useCallback, useRef } from 'react';
import type { PlannedStep, ScheduleEntry, WorkflowPlan } from '../../core/contract/workflow-file.ts';
import { useAction } from '../action.ts';
import { CallFailure, call, failureWords } from '../bridge.ts';
import { useLive } from '../live.ts';
import { Back } from '../parts/back.tsx';
import { PageHeading } from '../parts/heading.tsx';
import { Alert, Failing, Loading } from '../parts/states.tsx';
import { goTo } from '../route.ts';
import { useTexts } from '../texts.ts';
import { useTitle } from '../title.ts';
import { onWorkflowsChanged } from '../workflows-data.ts';
import '../styles/allow.css';

/** What a workflow file does, and whether it may run here: a person decides. */
export function AllowPage({ path }: { path: string }) {
  const { words } = useTexts();
  const load = useCallback(() => call('getWorkflowPlan', { path }), [path]);
  const { value, error, reload } = useLive(load, onWorkflowsChanged);
  useTitle(value?.name ?? words.automations.title);
  return (
    <div className="page allow">
      <Back to={{ page: 'automations' }}>{words.allow.back}</Back>
      {error !== undefined ? (
        <Failing title={words.allow.failedTitle} error={error} retry={reload} />
      ) : value === undefined ? (
        <Loading />
      ) : (
        <Plan plan={value} reload={reload} />
      )}
    </div>
  );
}

function Plan({ plan, reload }: { plan: WorkflowPlan; reload(): void }) {
  const { words } = useTexts();
  const { allow } = words;
  const first = useRef(plan.hash);
  const isAsked = plan.trust !== 'allowed';
  return (
    <>
      <header className="page-header">
        <PageHeading>{isAsked ? allow.newTitle(plan.name) : allow.allowedTitle(plan.name)}</PageHeading>
        <p>{{ new: allow.newText, changed: allow.changedText, allowed: allow.allowedText }[plan.trust]}</p>
      </header>
      {first.current !== plan.hash && <p role="status">{allow.changedNow}</p>}
      <Facts plan={plan} />
      <section aria-label={allow.does}>
        <h2>{allow.does}</h2>
        <ol className="planned">
          {plan.steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a plan is shown anew as a whole
            <Planned key={index} step={step} number={index + 1} />
          ))}
        </ol>
      </section>
      {isAsked && <Decision plan={plan} reload={reload} />}
    </>
  );
}

function Decision({ plan: { path, hash }, reload }: { plan: WorkflowPlan; reload(): void }) {
  const { words } = useTexts();
  const { allow } = words;
  const decide = useAction(async () => {
    try {
      await call('allowWorkflow', { path, hash });
      goTo({ page: 'automations' });
    } catch (error) {
      // The page then shows what the file does now.
      if (error instanceof CallFailure && error.code === 'changed') reload();
      throw error;
    }
  });
  return (
    <footer className="decision">
      {decide.failure !== undefined && <Alert title={allow.allowFailed}>{failureWords(decide.failure, words)}</Alert>}
      <button type="button" className="primary" aria-disabled={decide.isGoing} onClick={() => decide.run()}>
        <ShieldCheck size={14} aria-hidden />
        {decide.isGoing ? allow.allowing : allow.allow}
      </button>
      <button type="button" onClick={() => goTo({ page: 'automations' })}>
        {allow.notNow}
      </button>
    </footer>
  );
}

function Facts({ plan }: { plan: WorkflowPlan }) {
  const { words } = useTexts();
  const { allow } = words;
  return (
    <dl className="facts-list">
      <Fact name={allow.file}>{plan.path}</Fact>
      {plan.description !== undefined && <Fact name={allow.does}>{plan.description}</Fact>}
      <Names name={allow.applications} names={plan.applications} />
      <Names name={allow.hosts} names={plan.hosts} />
      <Names name={allow.secrets} names={plan.secrets} />
      {plan.schedules.length > 0 && (
        <Fact name={allow.schedules}>
          {plan.schedules.map((entry) => (
            <ScheduleLine key={`${entry.does} ${entry.expression}`} entry={entry} />
          ))}
        </Fact>
      )}
      <Names name={allow.includes} names={plan.includes} />
      {plan.anyWorkflow && <Fact name={allow.includes}>{allow.anyWorkflow}</Fact>}
      <Fact name={allow.fingerprint}>
        <code className="fingerprint">{plan.hash}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Nothing where there are none. */
function Names({ name, names }: { name: string; names: string[] }) {
  if (names.length === 0) return null;
  return (
    <Fact name={name}>
      <ul>
        {names.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </Fact>
  );
}

function ScheduleLine({ entry: { does, expression, next, problem } }: { entry: ScheduleEntry }) {
  const { words, formats } = useTexts();
  const { next: start, nextStop: stop, nextRestart: restart, badSchedule } = words.automations;
  if (problem !== undefined) return <p>{badSchedule(problem)}</p>;
  return (
    <p>
      <code>{expression}</code>{' '}
      <span className="quiet">
        {next === undefined ? words.allow.never : { start, stop, restart }[does](formats.moment(new Date(next)))}
      </span>
    </p>
  );
}

function Planned({ step, number }: { step: PlannedStep; number: number }) {
  const { words } = useTexts();
  const actions: Record<string, string> = words.action;
  const handlers: Record<string, string> = words.handler;
  const { step: name, action, handler, workflow, commands, texts } = step;
  const title = handler === undefined ? words.allow.step(number, name) : (handlers[handler] ?? handler);
  return (
    <li>
      <h3>
        {title} <span className="quiet">{actions[action] ?? action}</span>{' '}
        {workflow !== undefined && <span className="quiet">{words.allow.ofWorkflow(workflow)}</span>}
      </h3>
      {texts.map((text) => (
        <p key={text} className="planned-text">
          {text}
        </p>
      ))}
      {commands.length > 0 && <p className="quiet">{words.allow.commands}</p>}
      {commands.map((command) => (
        <pre key={command}>{command}</pre>
      ))}
    </li>
  );
}
