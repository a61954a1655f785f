/**
 * An error as its reader needs it: without the places in the workflow's file that it
 * begins with, which the page shows in its own way.
 */
export function plainError(error: string): string {
  return error.replace(/^(step ".*?" failed: |handler \w+ failed: |computer: |do\[\d+\] \w+ failed: )+/, '');
}
