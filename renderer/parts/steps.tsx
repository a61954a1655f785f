import type { StepSummary } from '../../core/contract/run.ts';
import { useTexts } from '../texts.ts';
import { StatusIcon } from './status.tsx';
import { Took } from './time.tsx';

interface StepsListProps {
  steps: StepSummary[];
  /** The step whose timeline alone is shown; absent for all. */
  selected: string | undefined;
  select(step: string | undefined): void;
}

/** The steps of a run with their states; choosing one shows only its part of the timeline. */
export function StepsList({ steps, selected, select }: StepsListProps) {
  const { words } = useTexts();
  return (
    <section className="steps" aria-label={words.run.steps}>
      <ol>
        <li>
          <button type="button" aria-pressed={selected === undefined} onClick={() => select(undefined)}>
            <span className="step-name">{words.run.wholeRun}</span>
          </button>
        </li>
        {steps.map((step) => (
          <li key={`${step.handler ?? ''} ${step.step}`}>
            <StepButton step={step} pressed={selected === step.step} select={select} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function StepButton({ step, pressed, select }: { step: StepSummary; pressed: boolean; select(step: string): void }) {
  const { words } = useTexts();
  return (
    <button
      type="button"
      aria-pressed={pressed}
      title={words.run.showOnly(step.step)}
      onClick={() => select(step.step)}
    >
      <StatusIcon status={step.status} label={words.stepStatus[step.status]} />
      <span className="step-name">
        {step.step}
        <span className="quiet step-facts">
          {kindOf(step, words)}
          {step.startedAt !== undefined && (
            <Took from={step.startedAt} {...(step.finishedAt !== undefined && { to: step.finishedAt })} />
          )}
        </span>
      </span>
    </button>
  );
}

/** What kind of step it is, in words: when a handler runs, or what an action does. */
function kindOf({ handler, action }: StepSummary, words: ReturnType<typeof useTexts>['words']): string {
  const handlers: Record<string, string> = words.handler;
  const actions: Record<string, string> = words.action;
  return handler === undefined ? (actions[action] ?? action) : (handlers[handler] ?? handler);
}
