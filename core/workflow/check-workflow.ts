import { actionRules } from './actions.ts';
import { checkRootReferences, referenceChecker } from './check-references.ts';
import { fieldName } from './field-name.ts';
import type { Findings } from './findings.ts';
import { linkSteps } from './graph.ts';
import { checkLlm } from './llm.ts';
import { findNotices } from './notices.ts';
import { checkShellReferences } from './shell-data.ts';
import { languageOf, readShell, type Shell, shellOf, whyNoShell } from './shells.ts';
import type { FieldPath, Step, Workflow } from './types.ts';

/** What could not be read, so that nothing is said of what follows from its absence. */
export interface Unread {
  /** Ids, names or dependencies of steps. */
  names: boolean;
  /** What references name: parameters, constants, outputs. */
  declarations: boolean;
}

const systemShell: Shell = { program: 'sh', args: [], isFromScript: false };

/** Checks the rules that span steps: names, dependencies, references, and each action's own. */
export function checkWorkflow(workflow: Workflow, unread: Unread, findings: Findings): void {
  if (workflow.llm !== undefined) findings.add({ problems: checkLlm(workflow.llm, ['llm']) });
  checkShell(workflow, ['shell'], findings);
  if (!unread.declarations) findings.add({ problems: checkRootReferences(workflow) });
  checkSteps(workflow, Object.values(workflow.handlers), new Set(), unread, findings);
  // Of a file that does not run, what its references come to is no matter yet.
  if (findings.problems.length === 0) addNotices(workflow, findings);
}

function addNotices(workflow: Workflow, findings: Findings): void {
  for (const { class: kind, path, message } of findNotices(workflow)) {
    const list = kind === 'defect' ? findings.warnings : findings.unresolved;
    list.push({ path, message: `field '${fieldName(path)}': ${message}` });
  }
}

function checkSteps(
  workflow: Workflow,
  handlers: readonly Step[],
  outer: ReadonlySet<string>,
  unread: Unread,
  findings: Findings,
): void {
  const problems = linkSteps(workflow.steps, outer);
  if (!unread.names) findings.add({ problems });
  const checkReferences =
    unread.names || unread.declarations || problems.length > 0 ? () => [] : referenceChecker(workflow);
  const names = new Set([...outer, ...workflow.steps.flatMap(({ key, name }) => [key, name])]);
  for (const step of [...workflow.steps, ...handlers]) {
    const rules = Object.hasOwn(actionRules, step.action) ? actionRules[step.action] : undefined;
    findings.add({ problems: rules?.check(step, workflow) ?? [] });
    checkShell(step, [...step.path, 'shell'], findings);
    findings.add({ problems: checkReferences(step) });
    checkCommands(step, workflow, findings);
    if (step.foreach !== undefined) checkSteps(step.foreach.body, [], names, unread, findings);
  }
}

function checkShell(
  { shell, shellArgs }: Pick<Step, 'shell' | 'shellArgs'>,
  path: FieldPath,
  findings: Findings,
): void {
  if (shell === undefined || shell.includes('$')) return;
  const why = whyNoShell(readShell(shell, shellArgs));
  if (why !== undefined) findings.field(path, `shell "${shell}" ${why}`);
}

/** The references of a shell step's commands, each in the language of the shell that reads it. */
function checkCommands(step: Step, workflow: Workflow, findings: Findings): void {
  const shells = {
    system: systemShell,
    ...(step.shell !== undefined && { step: readShell(step.shell, step.shellArgs) }),
    ...(workflow.shell !== undefined && { workflow: readShell(workflow.shell, workflow.shellArgs) }),
  };
  const path = [...step.path, 'run'];
  for (const command of step.run) {
    const language = languageOf(shellOf(command, shells));
    const { problems, warnings } = checkShellReferences(command, language, workflow.consts);
    for (const message of problems) findings.field(path, message);
    for (const message of warnings) findings.warning(path, message);
  }
}
