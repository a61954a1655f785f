import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;

/** How many runs are at work at once, and how they wait. */
export const QueueSettings = Type.Object(
  {
    /** Runs of all workflows that this app has at work at once; what comes more waits for its turn. */
    maxActiveRuns: Type.Integer({ minimum: 1, maximum: 100 }),
  },
  closed,
);

/** How much history is kept. A limit that is absent does not apply; runs at work are always kept. */
export const RetentionSettings = Type.Object(
  {
    /** Runs that ended longer ago are removed, with their logs and artifacts. */
    maxAgeDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500 })),
    /** The newest of each workflow that are kept. */
    maxRuns: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    /** Bytes of logs and artifacts, all workflows together; the oldest go first. */
    maxBytes: Type.Optional(Type.Integer({ minimum: 1_000_000 })),
  },
  closed,
);

/** Whether workflow files start by themselves. */
export const ScheduleSettings = Type.Object({ enabled: Type.Boolean() }, closed);

/** What a page may change. */
export const ChangeableSettings = Type.Object(
  { queue: QueueSettings, retention: RetentionSettings, schedules: ScheduleSettings },
  closed,
);
export type ChangeableSettings = Static<typeof ChangeableSettings>;

/**
 * What is allowed to run without anybody being asked. It stands in the settings file alone:
 * no page can change it, so that a page which was taken over cannot allow anything.
 */
export const TrustPolicy = Type.Object(
  {
    /** Absolute paths: every workflow file in them, at any depth. */
    folders: Type.Array(Type.String()),
    /** Contents, by the SHA-256 that the tray app shows, in hexadecimal digits. */
    hashes: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  },
  closed,
);
export type TrustPolicy = Static<typeof TrustPolicy>;

/** The settings of one data directory, complete. */
export const AppSettings = Type.Object(
  { queue: QueueSettings, retention: RetentionSettings, schedules: ScheduleSettings, trust: TrustPolicy },
  closed,
);
export type AppSettings = Static<typeof AppSettings>;

/** What holds where the settings file says nothing. */
export const defaultSettings: AppSettings = {
  queue: { maxActiveRuns: 5 },
  retention: {},
  schedules: { enabled: true },
  trust: { folders: [], hashes: [] },
};
