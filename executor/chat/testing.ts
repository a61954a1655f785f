import { EgressLog } from '../../core/net/egress.ts';
import { Network } from '../../core/net/network.ts';
import type { LlmConfig } from '../../core/workflow/llm.ts';
import type { JsonObject, Step, Workflow } from '../../core/workflow/types.ts';
import {
  type ChildEnd,
  type ChildRequest,
  type NewEvent,
  type PushBack,
  type StepContext,
  StepError,
  type StepResult,
} from '../action.ts';
import { aloneInRun } from '../testing.ts';
import { chatCompletion } from './action.ts';

const network = new Network({}, () => {});
const egress = new EgressLog();

export interface ChatCase {
  with: JsonObject;
  /** Of the workflow. */
  llm: LlmConfig;
  key?: string;
  depends?: string[];
  outputSchema?: JsonObject;
  secrets?: string[];
  /** Workflows that tools may name. */
  workflows?: Partial<Workflow>[];
  /** What becomes of a call, by the workflow's name; `succeeded` without outputs where nothing is said. */
  childEnds?: Record<string, Partial<ChildEnd> | Error>;
  pushBack?: PushBack;
  signal?: AbortSignal;
  workingDir?: string;
  tokens?: StepContext['tokens'];
}

/** For tests: chat steps of one run, without a store. */
export class ChatRun {
  /** Conversations by step, as they were kept. */
  readonly sessions = new Map<string, unknown[]>();
  readonly events: NewEvent[] = [];
  /** Runs under the steps, as they were asked for. */
  readonly children: { item: string; workflow: string; params: Record<string, string> }[] = [];
  out = '';
  log = '';

  async step({ with: input, llm, key = 's', depends = [], outputSchema, ...more }: ChatCase): Promise<StepResult> {
    const { secrets = [], workflows = [], childEnds = {}, pushBack, tokens } = more;
    const values = [...secrets];
    const mask = (text: string) => values.reduce((masked, value) => masked.replaceAll(value, '*******'), text);
    const step = { key, name: key, depends, with: input, ...(outputSchema && { outputSchema }) };
    const context: StepContext = {
      ...aloneInRun,
      ...(tokens && { tokens }),
      workflow: { steps: [], llm } as unknown as Workflow,
      step: step as unknown as Step,
      with: input,
      env: {},
      workingDir: more.workingDir ?? '/',
      artifactsDir: undefined,
      signal: more.signal ?? new AbortController().signal,
      runSignal: new AbortController().signal,
      secrets: [],
      mask,
      addSecretValue: (value) => void values.push(value),
      stdout: (text) => {
        this.out += mask(text);
      },
      log: (line) => {
        this.log += `${mask(line)}\n`;
      },
      event: async (event) => void this.events.push(event),
      fetchFor: (purpose) => network.fetch(purpose, egress),
      findWorkflow: async (name) => {
        const workflow = workflows.find((one) => one.name === name);
        if (workflow === undefined) throw new StepError(`there is no workflow "${name}"`);
        return { workflow: { params: [], ...workflow } as Workflow, source: '' };
      },
      runChild: async (request) => this.#child(request, childEnds),
      conversations: {
        of: (other) => this.sessions.get(other),
        save: (messages) => void this.sessions.set(key, JSON.parse(mask(JSON.stringify(messages)))),
      },
      session: { desktop: () => Promise.reject(new Error('no desktop here')), workingApp: undefined },
      ...(pushBack !== undefined && { pushBack }),
    };
    return await chatCompletion.run(context);
  }

  #child({ item, workflow, params }: ChildRequest, ends: NonNullable<ChatCase['childEnds']>): ChildEnd {
    this.children.push({
      item,
      workflow: workflow.name,
      params: Object.fromEntries(params.map(({ name = '', value }) => [name, value])),
    });
    const end = ends[workflow.name];
    if (end instanceof Error) throw end;
    return { runId: item, status: 'succeeded', outputs: {}, ...end };
  }
}
