import { join } from 'node:path';
import type { RunRequest } from '../core/contract/messages.ts';
import type { Handlers } from '../core/contract/protocol.ts';
import type { RunSummary } from '../core/contract/run.ts';
import { sealText } from '../core/masking/sealed.ts';
import { loadWorkflowText } from '../core/process/workflow-file.ts';
import { tryFileLock } from '../core/store/lock.ts';
import { safeName } from '../core/store/paths.ts';
import type { Store } from '../core/store/store.ts';
import type { queriesProtocol } from './queries-protocol.ts';
import { standardMaxActiveRuns } from './queue.ts';

/** More runs than wait, or are at work, at a time. */
const many = 10_000;

/** Fulfils the calls of the store's thread. */
export function storeQueries(store: Store): Handlers<typeof queriesProtocol> {
  const limits = new Map<string, number>();

  return {
    listRuns: (query) => ({ runs: store.listRuns(query) }),
    getRun: ({ runId, attempt }) => {
      const detail = store.getRun(runId, attempt === undefined ? {} : { attempt });
      return detail === undefined ? {} : { detail };
    },
    attempts: ({ runId }) => ({ attempts: store.attempts(runId) }),
    version: () => ({ version: store.dataVersion() }),

    work: () => ({
      queued: store
        .listRuns({ limit: many, statuses: ['queued'] })
        .reverse()
        .map((run) => ({
          run,
          maxActiveRuns: maxActiveRunsOf(run),
          isStopped: store.stopRequest(run.runId) !== undefined,
        })),
      active: store.listRuns({ limit: many, statuses: ['running', 'not_started'] }),
      resumable: store
        .listRuns({ limit: many, statuses: ['waiting'] })
        .filter(({ runId }) => store.isAnswered(runId))
        .reverse(),
    }),
    queueRun: ({ request, name, source }) => {
      if (hasScheduledRun(request)) return { isNew: false };
      store.createRun(newRun(request, name, source), []);
      return { isNew: true };
    },
    contentOf: ({ runId }) => {
      const { workflowText: text, request, summary } = store.stateOf(runId) ?? {};
      const maxActiveRuns = summary === undefined ? standardMaxActiveRuns : maxActiveRunsOf(summary);
      const contentHash = request?.contentHash;
      return { maxActiveRuns, ...(text !== undefined && { text }), ...(contentHash !== undefined && { contentHash }) };
    },
    addAnswer: ({ runId, answer }) => {
      store.addAnswer(runId, answer);
      return {};
    },
    requestStop: ({ runId, reason }) => ({ isAsked: store.requestStop(runId, reason) }),
    failQueued: ({ runId, error }) => {
      failQueued(runId, error);
      return {};
    },
    checkFreeSpace: () => {
      store.checkFreeSpace();
      return {};
    },
    prune: (limits) => ({ removed: store.prune(limits) }),

    trustOf: ({ contents }) => ({
      states: contents.map(({ path, hash }) => ({
        allowed: store.isTrusted(path, hash),
        known: store.hasTrusted(path),
      })),
    }),
    trust: ({ path, hash }) => {
      store.trust(path, hash, 'person');
      return {};
    },
    scheduleMarks: ({ paths }) => ({
      marks: Object.fromEntries(
        paths.flatMap((path) => {
          const mark = store.scheduleMark(path);
          return mark === undefined ? [] : [[path, mark]];
        }),
      ),
    }),
    setScheduleMark: ({ path, until }) => {
      store.setScheduleMark(path, until);
      return {};
    },
  };

  /** Looked up in the text that the run was queued with, once a run. */
  function maxActiveRunsOf({ runId, path }: RunSummary): number {
    const known = limits.get(runId);
    if (known !== undefined) return known;
    const text = store.stateOf(runId)?.workflowText;
    const workflow = text === undefined ? undefined : loadWorkflowText(text, path, { strictStream: false }).workflow;
    const limit = workflow?.maxActiveRuns ?? standardMaxActiveRuns;
    limits.set(runId, limit);
    return limit;
  }

  /** After a crash between a run and its schedule's mark, the moment comes again: it has its run. */
  function hasScheduledRun({ path, scheduledAt }: RunRequest): boolean {
    if (scheduledAt === undefined) return false;
    const since = { workflow: path, from: scheduledAt, limit: many };
    return store.listRuns(since).some((run) => run.path === path && run.scheduledAt === scheduledAt);
  }

  function failQueued(runId: string, error: string): void {
    // Whoever takes the run up holds its lock.
    const lock = tryFileLock(store.runLockPath(runId));
    if (lock === undefined) return;
    try {
      if (store.getRun(runId)?.run.status !== 'queued') return;
      store.finishRun(runId, 'failed', new Date().toISOString(), error);
    } finally {
      lock.release({ remove: true });
    }
  }

  function newRun(request: RunRequest, name: string, source: string) {
    const folder = join(store.paths.runs, safeName(name), request.runId);
    const { runId, path, trigger, scheduledAt } = request;
    return {
      runId,
      name,
      path,
      trigger,
      createdAt: new Date().toISOString(),
      // The run's own process resolves them, and seals secrets in them; until then they are as they were given.
      params: Object.fromEntries(
        request.params.map(({ name: param, value }, index) => [param ?? String(index + 1), sealText(value)]),
      ),
      logDir: join(folder, 'logs'),
      artifactsDir: join(folder, 'artifacts'),
      source,
      status: 'queued' as const,
      request,
      ...(scheduledAt !== undefined && { scheduledAt }),
    };
  }
}
