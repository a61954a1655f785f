import { Check, Hand, Undo2, X } from 'lucide-react';
import { useState } from 'react';
import type { ApprovalState, StepSummary } from '../../core/contract/run.ts';
import { useAction } from '../action.ts';
import { call, failureWords } from '../bridge.ts';
import { useTexts } from '../texts.ts';
import { Field } from './field.tsx';
import { Alert } from './states.tsx';

/** The decisions that a run waits for. */
export function Approvals({ runId, steps }: { runId: string; steps: StepSummary[] }) {
  const waiting = steps.filter((step) => step.status === 'waiting' && step.approval !== undefined);
  return waiting.map((step) => (
    // What was typed for one round is not for the next one.
    <Approval
      key={`${step.step} ${step.pushBacks ?? 0}`}
      runId={runId}
      step={step}
      approval={step.approval as ApprovalState}
    />
  ));
}

function Approval({ runId, step, approval }: { runId: string; step: StepSummary; approval: ApprovalState }) {
  const { words, formats } = useTexts();
  const texts = words.approval;
  const [inputs, setInputs] = useState<Record<string, string>>({});
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  const given = Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== ''));
  const missing = approval.required.filter((name) => given[name] === undefined);
  const decide = useAction((kind: 'approveStep' | 'rejectStep' | 'pushBackStep') => {
    const answer = { runId, step: step.step, inputs: given };
    if (kind === 'approveStep') return call(kind, answer);
    return call(kind, { ...answer, ...(reason !== '' && { reason }) });
  });
  const approve = () => {
    setTried(true);
    if (missing.length === 0) decide.run('approveStep');
  };
  const isOff = decide.isGoing || decide.isDone;
  return (
    <section className="approval" aria-label={texts.title(step.step)}>
      <h2>
        <Hand size={16} aria-hidden />
        {texts.title(step.step)}
      </h2>
      <p className="approval-prompt">{approval.prompt ?? texts.noPrompt}</p>
      <Outputs step={step} />
      {approval.input.map((name) => (
        <Field
          key={name}
          label={name}
          note={approval.required.includes(name) ? texts.required : undefined}
          problem={isTried && missing.includes(name) ? words.form.missing : undefined}
        >
          {({ id, describedBy, invalid }) => (
            <input
              id={id}
              value={inputs[name] ?? ''}
              autoComplete="off"
              aria-required={approval.required.includes(name)}
              aria-invalid={invalid}
              aria-describedby={describedBy}
              onChange={(event) => setInputs({ ...inputs, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <Field label={texts.reason}>
        {({ id }) => <input id={id} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      {decide.failure !== undefined && <Alert title={texts.failed}>{failureWords(decide.failure, words)}</Alert>}
      <div className="approval-actions">
        <button
          type="button"
          className="primary"
          aria-disabled={isOff}
          title={missing.length > 0 ? texts.missing(formats.list(missing)) : texts.approveHint}
          onClick={() => !isOff && approve()}
        >
          <Check size={14} aria-hidden />
          {texts.approve}
        </button>
        <button
          type="button"
          aria-disabled={isOff}
          title={texts.pushBackHint(approval.rewindTo)}
          onClick={() => !isOff && decide.run('pushBackStep')}
        >
          <Undo2 size={14} aria-hidden />
          {texts.pushBack}
        </button>
        <button
          type="button"
          aria-disabled={isOff}
          title={texts.rejectHint}
          onClick={() => !isOff && decide.run('rejectStep')}
        >
          <X size={14} aria-hidden />
          {texts.reject}
        </button>
        <span role="status" className="quiet">
          {decide.isGoing ? texts.working : decide.isDone ? texts.sent : ''}
        </span>
      </div>
    </section>
  );
}

/** What the person is to look at: the results of the step. */
function Outputs({ step: { outputs } }: { step: StepSummary }) {
  const entries = Object.entries(outputs);
  if (entries.length === 0) return null;
  return (
    <dl className="outputs">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What a person decided about a step, in a line. */
export function Decided({ approval }: { approval: ApprovalState }) {
  const { words, formats } = useTexts();
  const texts = words.approval;
  if (approval.state === 'waiting') return null;
  const inputs = Object.entries(approval.inputs).map(([name, value]) => texts.input(name, value));
  return (
    <p className="quiet">
      {texts.given(texts.was[approval.state], formats.list(inputs))}
      {approval.reason !== undefined && ` ${texts.why(approval.reason)}`}
    </p>
  );
}
