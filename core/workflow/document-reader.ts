import { actionRules } from './actions.ts';
import { checkWorkflow, type Unread } from './check-workflow.ts';
import { type DeclaredParams, readParams } from './declared-params.ts';
import { readConsts, readDotenv, readEnv, readSecrets } from './declared-values.ts';
import { WorkflowDocument } from './document.ts';
import { readShell } from './execution.ts';
import { Findings, shapeCheck } from './findings.ts';
import { isObject } from './json.ts';
import { readPreconditions } from './preconditions.ts';
import { withoutRefused } from './refused-keys.ts';
import { parseWindow, readSchedules } from './schedule.ts';
import { StepReader, withoutNulls } from './steps.ts';
import type { SourceDocument } from './stream.ts';
import { type HandlerName, handlerNames, type Step, type Workflow } from './types.ts';

const checkRoot = shapeCheck(WorkflowDocument, Object.keys(WorkflowDocument.properties));

/** What the documents of a file share. */
export interface FileContext {
  /** Absolute path of the file, which gives its first document the name. */
  path: string;
  /** The later documents, once all are read. */
  locals: Workflow[];
  /** How many steps were read so far. */
  count: { steps: number };
  readSchemaFile: ((path: string) => string) | undefined;
}

/** Reads one document of a file, and checks it once all are read. */
export class DocumentReader {
  readonly findings = new Findings();
  readonly workflow: Workflow;
  readonly #unread: Unread = { names: false, declarations: false };
  readonly #file: FileContext;

  /** @param isLocal it is not the first of its file */
  constructor(source: SourceDocument, file: FileContext, isLocal: boolean) {
    this.#file = file;
    const written = withoutNulls(source.value as Record<string, unknown>);
    const given = this.#withoutRefused(written);
    const broken = checkRoot(given, [], this.findings);
    const document = Object.fromEntries(Object.entries(given).filter(([key]) => !broken.has(key))) as WorkflowDocument;
    if (broken.has('consts')) this.#unread.declarations = true;
    const base = this.#readBase(document, isLocal);
    this.workflow = this.#readSteps(document, base);
  }

  #withoutRefused(written: Record<string, unknown>): Record<string, unknown> {
    const given: Record<string, unknown> = withoutRefused(written, 'root', [], this.findings);
    return isObject(given.llm) ? { ...given, llm: withoutRefused(given.llm, 'llm', ['llm'], this.findings) } : given;
  }

  check(): void {
    checkWorkflow(this.workflow, this.#unread, this.findings);
  }

  #readBase(document: WorkflowDocument, isLocal: boolean): Workflow {
    const { path, locals } = this.#file;
    const { description, working_dir, timeout_sec, delay_sec, max_active_steps, max_active_runs, llm, artifacts } =
      document;
    return {
      name: this.#name(document.name, isLocal),
      path,
      type: this.#type(document.type),
      ...this.#params(document.params),
      consts: readConsts(document.consts),
      env: readEnv(document.env),
      dotenv: readDotenv(document.dotenv),
      secrets: readSecrets(document.secrets, this.findings),
      steps: [],
      handlers: {},
      preconditions: readPreconditions(document.preconditions, ['preconditions'], this.findings),
      schedules: readSchedules(document.schedule, this.findings),
      overlapPolicy: document.overlap_policy ?? 'skip',
      catchupWindowMs: this.#window(document.catchup_window),
      artifacts: { enabled: artifacts?.enabled ?? false, ...(artifacts?.dir !== undefined && { dir: artifacts.dir }) },
      locals,
      ...readShell(document.shell, document.shell_args),
      ...(description !== undefined && { description }),
      ...(llm !== undefined && { llm }),
      ...(working_dir !== undefined && { workingDir: working_dir }),
      ...(timeout_sec !== undefined && { timeoutSec: timeout_sec }),
      ...(delay_sec !== undefined && { delaySec: delay_sec }),
      ...(max_active_steps !== undefined && { maxActiveSteps: max_active_steps }),
      ...(max_active_runs !== undefined && { maxActiveRuns: Math.max(0, max_active_runs) }),
    };
  }

  #readSteps(document: WorkflowDocument, base: Workflow): Workflow {
    const reader = new StepReader(this.findings, this.#file.count, (steps) => bodyOf(base, steps));
    const steps =
      Array.isArray(document.steps) && document.steps.length > 0
        ? reader.readList(document.steps, ['steps'], base.type)
        : [];
    const handlers = this.#readHandlers(document.handler_on, reader);
    this.#unread.names = reader.hasBrokenNames;
    const selector = document.worker_selector ?? reader.workerSelector;
    const workflow: Workflow = {
      ...base,
      steps,
      handlers,
      artifacts: { ...base.artifacts, enabled: this.#keepsArtifacts(document, [...steps, ...Object.values(handlers)]) },
      ...(selector !== undefined && { workerSelector: labels(selector) }),
    };
    // A body is made before it is known what the steps around it need.
    for (const body of reader.bodies) body.artifacts = workflow.artifacts;
    return workflow;
  }

  #readHandlers(value: unknown, reader: StepReader): Workflow['handlers'] {
    if (value === undefined) return {};
    if (!isObject(value)) {
      this.findings.field(['handler_on'], 'handler_on must be a map of handlers');
      return {};
    }
    const handlers: Workflow['handlers'] = {};
    const given = withoutRefused(withoutNulls(value), 'handlers', ['handler_on'], this.findings);
    for (const [name, step] of Object.entries(given)) {
      if (!isHandlerName(name)) {
        this.findings.problem(
          ['handler_on', name],
          `field 'handler_on': "${name}" is no handler; use ${handlerNames.join(', ')}`,
        );
        continue;
      }
      const handler = reader.readHandler(step, name);
      if (handler !== undefined) handlers[name] = handler;
    }
    return handlers;
  }

  #params(written: unknown): DeclaredParams {
    const before = this.findings.problems.length;
    const params = readParams(written, this.findings, this.#file.readSchemaFile);
    if (this.findings.problems.length > before) this.#unread.declarations = true;
    return params;
  }

  #name(written: unknown, isLocal: boolean): string {
    const isWritten = typeof written === 'string' && written !== '';
    const name = isWritten ? written : stem(this.#file.path);
    if (/^[-A-Za-z0-9._]{1,40}$/.test(name)) return name;
    if (isWritten || (!isLocal && written !== undefined)) {
      this.findings.problem(['name'], `name "${String(written)}" must be 1 to 40 letters, digits, '-', '.' or '_'`);
    }
    // A file may have any name; its workflow's name keeps what is allowed of it.
    return name.replaceAll(/[^-A-Za-z0-9._]+/g, '-').slice(0, 40) || 'workflow';
  }

  #type(written: unknown): Workflow['type'] {
    if (written === undefined || written === 'graph' || written === 'chain') return written ?? 'graph';
    const type = String(written);
    const message = ['agent', 'build', 'controller'].includes(type)
      ? `type ${type} is one of Dagu that Dagu Desktop does not run; use graph or chain`
      : `invalid type: ${type} (must be one of: graph, chain, agent, build)`;
    this.findings.problem(['type'], message);
    return 'graph';
  }

  #window(written: string | undefined): number {
    const ms = written === undefined ? 0 : parseWindow(written);
    if (ms === undefined) {
      this.findings.field(
        ['catchup_window'],
        `catchup_window must be a duration such as 6h or 2d12h (value: ${written})`,
      );
    }
    return ms ?? 0;
  }

  /** Computer steps, and a reference to the folder, turn artifacts on unless the file turns them off. */
  #keepsArtifacts(document: WorkflowDocument, steps: readonly Step[]): boolean {
    const all = withBodies(steps);
    const target = all.find(({ stdout, stderr }) => stdout?.artifact !== undefined || stderr?.artifact !== undefined);
    if (document.artifacts?.enabled === false && target !== undefined) {
      this.findings.field(target.path, 'a stream goes to an artifact, which artifacts.enabled: false turns off');
    }
    const needsThem = () =>
      target !== undefined ||
      document.artifacts?.dir !== undefined ||
      all.some(({ action }) => Object.hasOwn(actionRules, action) && actionRules[action]?.usesDesktop === true) ||
      /DAG_RUN_ARTIFACTS_DIR|\$\{context\.paths\.artifacts_dir\}/.test(JSON.stringify(document));
    return document.artifacts?.enabled ?? needsThem();
  }
}

/** A loop's body runs as a workflow: with the settings around it, but when it runs is the step's to say. */
function bodyOf(around: Workflow, steps: Step[]): Workflow {
  const { timeoutSec: _, delaySec: __, maxActiveRuns: ___, ...settings } = around;
  return { ...settings, type: 'graph', steps, handlers: {}, preconditions: [], schedules: [], catchupWindowMs: 0 };
}

function withBodies(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...(step.foreach === undefined ? [] : withBodies(step.foreach.body.steps))]);
}

function labels(selector: unknown): Record<string, string> | 'local' {
  if (!isObject(selector)) return 'local';
  return Object.fromEntries(Object.entries(selector).map(([name, value]) => [name, String(value)]));
}

function isHandlerName(name: string): name is HandlerName {
  return (handlerNames as readonly string[]).includes(name);
}

function stem(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? path).replace(/\.ya?ml$/i, '');
}
