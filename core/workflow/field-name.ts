import type { FieldPath } from './types.ts';

/** `steps[0].with.do[1]` */
export function fieldName(path: FieldPath): string {
  return path
    .map((key, position) => (typeof key === 'number' ? `[${key}]` : position === 0 ? key : `.${key}`))
    .join('');
}
