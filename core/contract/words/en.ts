/**
 * Every text that the tray app shows, in English. The other catalogues have the
 * type of this one, so a missing or an unknown key does not compile. A text with
 * something to fill in is a function of it; lists, numbers and times come already
 * formatted (formats.ts).
 */
export const en = {
  product: 'Dagu Desktop',

  nav: {
    label: 'Pages',
    automations: 'Automations',
    runs: 'Runs',
    working: (count: number) => (count === 1 ? '1 run is working' : `${count} runs are working`),
  },

  tray: {
    idle: 'Nothing is running',
    workingMany: (count: number) => `${count} automations are working`,
    open: 'Open Dagu Desktop',
    stop: (name: string) => `Stop ${name}`,
    quit: 'Quit',
    quitQuestion: 'An automation is still running. Stop it and quit?',
    quitDetail: 'What it has done so far stays as it is.',
    stopAndQuit: 'Stop and quit',
    cancel: 'Cancel',
    named: (name: string, sentence: string) => `${name}: ${sentence}`,
  },

  automations: {
    title: 'Automations',
    folder: (folder: string) => `From the folder ${folder}`,
    emptyTitle: 'No automations yet',
    emptyText: (folder: string) => `Put workflow files (.yaml) into the folder ${folder}. They appear here at once.`,
    list: 'Automations in the folder',
    run: 'Run',
    runName: (name: string) => `Run ${name}`,
    starting: 'Starting…',
    needs: (params: string) => `Needs ${params}, so it cannot start with one click.`,
    broken: 'This file has an error, so it cannot run.',
    problemAt: (line: number, column: number) => `Line ${line}, column ${column}`,
    problemAtLine: (line: number) => `Line ${line}`,
    running: 'It is running now.',
    notRunYet: 'Not run yet',
    startFailed: (name: string) => `${name} could not be started`,
    failedTitle: 'The automations could not be read',
  },

  runs: {
    title: 'Runs',
    emptyTitle: 'Nothing has run yet',
    emptyText: 'Start an automation. Its run appears here while it works, and stays when it has ended.',
    toAutomations: 'Go to Automations',
    state: 'State',
    name: 'Automation',
    started: 'Started',
    took: 'Took',
    by: 'Started by',
    more: 'Show older runs',
    failedTitle: 'The runs could not be read',
    notStarted: 'Not started',
    triggers: {
      manual: 'Command',
      tray: 'You',
    },
  },

  run: {
    back: 'All runs',
    stop: 'Stop',
    stopping: 'Stopping…',
    stopFailed: 'The run could not be stopped',
    steps: 'Steps',
    timeline: 'What happened',
    wholeRun: 'All steps',
    showOnly: (step: string) => `Show only ${step}`,
    emptyTimeline: 'Nothing has happened yet.',
    quietStep: 'This step shows no operations.',
    exitCode: (code: string) => `Ended with code ${code}`,
    took: (duration: string) => `took ${duration}`,
    startedAgo: (when: string) => `Started ${when}`,
    failedTitle: 'This run could not be read',
    screenshots: 'Pictures of the screen',
    screenshot: (number: number, total: number) => `Picture ${number} of ${total}`,
    openScreenshot: (number: number, total: number) => `Open picture ${number} of ${total}`,
    atFailure: 'The screen when it failed',
    screenshotFailed: 'This picture could not be read.',
    previous: 'Previous picture',
    next: 'Next picture',
    close: 'Close',
    tokens: (count: string) => `${count} tokens`,
  },

  /** A run's state in one sentence. */
  sentence: {
    queued: 'Waiting for its turn',
    notStarted: 'Not started yet',
    starting: 'Starting',
    working: (number: number, total: number, step: string) => `Working: step ${number} of ${total}, ${step}`,
    workingHandler: (step: string) => `Finishing: ${step}`,
    waitsFor: {
      person: 'Waiting until you stop using the mouse and keyboard',
      desktop: 'Waiting until another automation has finished with the screen',
      screen: 'Waiting until the screen can be used again: unlock it or sign in',
      app: 'Waiting until another automation has finished with the same program',
    },
    waitingAnswer: 'Needs an answer from you',
    succeeded: (total: number) => (total === 1 ? 'Done' : `Done: all ${total} steps`),
    partly: (failed: string) => `Done, but not everything worked: ${failed}`,
    failedAt: (number: number, total: number, step: string) => `Failed at step ${number} of ${total}, ${step}`,
    failed: 'Failed',
    stoppedByYou: (time: string) => `Stopped by you at ${time}`,
    stoppedAt: (time: string) => `Stopped at ${time}`,
    stopped: 'Stopped',
    rejected: 'Rejected',
  },

  runStatus: {
    not_started: 'Not started',
    running: 'Working',
    failed: 'Failed',
    aborted: 'Stopped',
    succeeded: 'Done',
    queued: 'Waiting for its turn',
    partially_succeeded: 'Partly done',
    waiting: 'Needs an answer',
    rejected: 'Rejected',
  },
  stepStatus: {
    not_started: 'Not started',
    running: 'Working',
    failed: 'Failed',
    aborted: 'Stopped',
    succeeded: 'Done',
    skipped: 'Skipped',
    partially_succeeded: 'Partly done',
    waiting: 'Needs an answer',
    rejected: 'Rejected',
    retrying: 'Trying again',
  },
  eventStatus: {
    running: 'Working',
    completed: 'Done',
    failed: 'Failed',
    skipped: 'Skipped',
    waiting: 'Waiting',
    'cache-hit': 'Done from the recording',
    healed: 'Done, recording repaired',
  },

  /** How an operation ran: a short name, and what it means. */
  via: {
    element: {
      name: 'By element',
      meaning: 'Replayed from the recording by the names of buttons and fields. No AI was asked.',
    },
    screen: { name: 'By screen', meaning: 'Replayed from the recording by how the screen looks. No AI was asked.' },
    model: { name: 'AI', meaning: 'An AI model decided what to do.' },
    exact: { name: 'Exact', meaning: 'Checked exactly, without AI.' },
  },

  /** What a step says of itself between its operations, by the event's code. */
  lifecycle: {
    started: () => 'Started working on the screen',
    completed: ({ operations = 0 }: Filling) =>
      operations === 1 ? 'Completed 1 operation' : `Completed ${operations} operations`,
    desktop_free: () => 'The screen is free again',
    screen_ready: () => 'The screen can be used again',
    capturing_windows: ({ apps = '' }: Filling) => `Pictures show only the windows of ${apps}`,
    capturing_screen: () => 'Pictures show the whole screen until the step works in a program',
    capturing_screen_since: ({ reason = '' }: Filling) => `Pictures show the whole screen, since ${reason}`,
  },
  /** An element of a window, as a check or an operation names it. */
  element: (role: string, name: string, window: string) =>
    `${[role, name && `“${name}”`].filter(Boolean).join(' ')}${window && ` in “${window}”`}`,
  beside: (label: string) => `beside “${label}”`,
  roles: {
    button: 'button',
    text_field: 'text field',
    text: 'text',
    checkbox: 'checkbox',
    radio: 'choice',
    combo_box: 'drop-down list',
    list_item: 'list entry',
    menu_item: 'menu entry',
    tab: 'tab',
    link: 'link',
    cell: 'cell',
    list: 'list',
    group: 'group',
    window: 'window',
    other: 'element',
  },
  operation: {
    launch: 'Open a program',
    act: 'Do',
    extract: 'Read',
    expect: 'Check',
    wait: 'Wait',
    screenshot: 'Take a picture',
    ask: 'Ask',
    outline: 'Look at the window',
  },
  action: {
    run: 'Command',
    'chat.completion': 'AI answer',
    'computer.run': 'On the screen',
    'computer.extract': 'Read from the screen',
  },
  handler: {
    init: 'At the start',
    success: 'After success',
    failure: 'After a failure',
    abort: 'After a stop',
    exit: 'At the end',
  },

  common: {
    loading: 'Loading…',
    tryAgain: 'Try again',
    justNow: 'just now',
    unexpected: 'Something unexpected happened. Close this window and open it again; your runs go on meanwhile.',
  },

  /** Messages for codes of failed calls; other failures show their own message. */
  failure: {
    invalid: 'The app and this window do not understand each other. Restart Dagu Desktop.',
    closed: 'A part of the app has ended unexpectedly. Restart Dagu Desktop.',
    no_folder: 'The folder is no longer there. Put it back, or start Dagu Desktop with another one.',
    no_access: 'The folder cannot be opened. Check that you have the right to read it.',
    not_found: 'It is no longer there.',
    elsewhere: 'This run was started by another program, such as the dagu command. Stop it there.',
    busy: 'This automation is running already. Wait until it has ended, or stop it.',
  },
};

/** What fills an event's text. */
export type Filling = Record<string, string | number>;

/** What a catalogue holds. */
export type Words = typeof en;
