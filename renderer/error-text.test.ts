import { expect, it } from 'vitest';
import { plainError } from './error-text.ts';

it('leaves out where in the file an error happened, and nothing else', () => {
  const found = "The window 'Invoices' was not found within 10 seconds.";
  expect(plainError(`step "post" failed: computer: do[2] act failed: ${found}`)).toBe(found);
  expect(plainError(`handler exit failed: the command ended with exit code 3`)).toBe(
    'the command ended with exit code 3',
  );
  expect(plainError(found)).toBe(found);
  expect(plainError('the step "x" failed: y')).toBe('the step "x" failed: y');
});
