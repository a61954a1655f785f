/**
 * Every code that a call of the API fails with: one list for the pages, for the REST server,
 * and for the catalogues, which have a text for each (words/*.ts, `failure`).
 *
 * `status`: what HTTP answers with. `detail`: whether the failure's own message says more than
 * the catalogue's text, so that both are shown.
 */
export const failures = {
  /** What was sent, or what came back, does not have the shape of the contract. */
  invalid: { status: 400, detail: true },
  /** The sender may not make this call. */
  refused: { status: 403, detail: false },
  /** A process or thread that the call needs has ended. */
  closed: { status: 503, detail: false },
  /** There is no such run, step, file, or page of it. */
  not_found: { status: 404, detail: false },
  /** The watched folder is gone. */
  no_folder: { status: 404, detail: false },
  /** The watched folder may not be read. */
  no_access: { status: 403, detail: false },
  /** The workflow, or as many runs of it as may be, are at work. */
  busy: { status: 409, detail: false },
  /** The workflow file has an error. */
  broken: { status: 422, detail: true },
  /** A required parameter is missing, or one does not have a value that is allowed. */
  bad_params: { status: 422, detail: true },
  /** The file's content has not been allowed to run here. */
  not_allowed: { status: 403, detail: false },
  /** The file changed since it was shown, or since it was allowed. */
  changed: { status: 409, detail: false },
  /** The run is at its end already. */
  ended: { status: 409, detail: false },
  /** The run is still at work, and this is for runs at their end. */
  not_ended: { status: 409, detail: false },
  /** The step does not wait for a person, or no longer. */
  not_waiting: { status: 409, detail: false },
  /** An answer lacks a required value, or has one that was not asked for. */
  bad_inputs: { status: 422, detail: true },
  /** Another process did it already, or there is nothing left to do. */
  nothing_to_do: { status: 409, detail: false },
  /** There is a run with this id already. */
  run_exists: { status: 409, detail: false },
  /** A file is larger than this call gives. */
  too_large: { status: 413, detail: false },
  /** The disk has no room for another run. */
  disk_full: { status: 507, detail: true },
  /** The database could not be read or written. */
  store: { status: 500, detail: true },
  /** The settings file could not be read or written. */
  settings: { status: 500, detail: true },
  /** It did not answer in time. */
  timeout: { status: 504, detail: false },
  /** The call was given up. */
  aborted: { status: 499, detail: false },
  /** This computer or program cannot do it. */
  unsupported: { status: 501, detail: true },
  /** Anything else; the message says what. */
  failed: { status: 500, detail: true },
} as const satisfies Record<string, { status: number; detail: boolean }>;

export type FailureCode = keyof typeof failures;

/** Whether a code is one of the list; a failure with another is shown by its own message. */
export function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(failures, code);
}
