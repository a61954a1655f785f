/** Why a text is no regular expression, in a sentence about it; undefined when it is one. */
export function regexProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return `the regular expression is not valid: ${error.message}`;
    throw error;
  }
}

/**
 * A regular expression of a workflow file. Flags at its beginning, as Go writes them
 * (`(?i)`), are taken as flags of the whole. Throws a SyntaxError when it is none.
 */
export function compilePattern(pattern: string): RegExp {
  const [whole, flags = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? [''];
  return new RegExp(pattern.slice(whole.length), `${[...new Set(flags)].join('')}u`);
}
