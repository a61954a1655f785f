import { Play } from 'lucide-react';
import { type FormEvent, useCallback, useState } from 'react';
import type { ParamField, WorkflowFile } from '../../core/contract/workflow-file.ts';
import { useAction } from '../action.ts';
import { CallFailure, call, failureWords } from '../bridge.ts';
import { useLive } from '../live.ts';
import { givenValues, paramProblem } from '../params-form.ts';
import { Back } from '../parts/back.tsx';
import { Field } from '../parts/field.tsx';
import { PageHeading } from '../parts/heading.tsx';
import { Alert, Failing, Loading } from '../parts/states.tsx';
import { goTo } from '../route.ts';
import { useTexts } from '../texts.ts';
import { useTitle } from '../title.ts';
import { onWorkflowsChanged } from '../workflows-data.ts';
import '../styles/form.css';

/** Starts a workflow with values for its parameters. */
export function StartPage({ path }: { path: string }) {
  const { words } = useTexts();
  const load = useCallback(() => findWorkflow(path), [path]);
  const { value, error, reload } = useLive(load, onWorkflowsChanged);
  useTitle(value?.name ?? words.automations.title);
  return (
    <div className="page">
      <Back to={{ page: 'automations' }}>{words.form.back}</Back>
      {error !== undefined ? (
        <Failing title={words.automations.failedTitle} error={error} retry={reload} />
      ) : value === undefined ? (
        <Loading />
      ) : (
        <StartForm workflow={value} />
      )}
    </div>
  );
}

async function findWorkflow(path: string): Promise<WorkflowFile> {
  const { workflows } = await call('listWorkflows', {});
  const found = workflows.find((workflow) => workflow.path === path);
  if (found === undefined) throw new CallFailure({ code: 'not_found', message: path });
  return found;
}

function StartForm({ workflow: { path, name, description, params } }: { workflow: WorkflowFile }) {
  const texts = useTexts();
  const { form } = texts.words;
  const [values, setValues] = useState<Record<string, string>>({});
  const [isTried, setTried] = useState(false);
  const start = useAction(async () => {
    const { runId } = await call('startRun', { path, params: givenValues(params, values) });
    goTo({ page: 'run', runId });
  });
  const current = (param: ParamField) => values[param.name] ?? param.default ?? '';
  const problems = new Map(params.map((param) => [param.name, paramProblem(param, current(param), texts)]));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if ([...problems.values()].every((problem) => problem === undefined)) start.run();
  };
  return (
    <>
      <header className="page-header">
        <PageHeading>{form.title(name)}</PageHeading>
        {description !== undefined && <p>{description}</p>}
        <p className="quiet">{params.length === 0 ? form.nothing : form.text}</p>
      </header>
      <form className="form" noValidate onSubmit={submit}>
        {params.map((param) => (
          <ParamInput
            key={param.name}
            param={param}
            value={current(param)}
            // What was not touched is not wrong before the form was sent.
            problem={isTried || values[param.name] !== undefined ? problems.get(param.name) : undefined}
            change={(value) => setValues({ ...values, [param.name]: value })}
          />
        ))}
        {start.failure !== undefined && <Alert title={form.failed}>{failureWords(start.failure, texts.words)}</Alert>}
        <div className="form-actions">
          <button type="submit" className="primary" aria-disabled={start.isGoing}>
            <Play size={14} aria-hidden />
            {start.isGoing ? form.starting : form.run}
          </button>
        </div>
      </form>
    </>
  );
}

interface ParamInputProps {
  param: ParamField;
  value: string;
  problem: string | undefined;
  change(value: string): void;
}

function ParamInput({ param, value, problem, change }: ParamInputProps) {
  const { words } = useTexts();
  const { name, type, required, description } = param;
  const choices = param.enum ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  const isNeeded = required && param.default === undefined;
  const label = (choice: string) => (type === 'boolean' ? words.form[choice === 'true' ? 'yes' : 'no'] : choice);
  return (
    <Field label={name} note={isNeeded ? words.form.required : undefined} hint={description} problem={problem}>
      {({ id, describedBy, invalid }) =>
        choices === undefined ? (
          <input
            id={id}
            value={value}
            inputMode={type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : 'text'}
            autoComplete="off"
            aria-required={isNeeded}
            aria-invalid={invalid}
            aria-describedby={describedBy}
            onChange={(event) => change(event.target.value)}
          />
        ) : (
          <select
            id={id}
            value={value}
            aria-required={isNeeded}
            aria-invalid={invalid}
            aria-describedby={describedBy}
            onChange={(event) => change(event.target.value)}
          >
            {!choices.includes(value) && <option value={value}>{value === '' ? words.form.none : value}</option>}
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {label(choice)}
              </option>
            ))}
          </select>
        )
      }
    </Field>
  );
}
