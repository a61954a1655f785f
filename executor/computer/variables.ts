import { fillPlaceholders } from '../../core/workflow/placeholders.ts';
import { mapSelectorTexts, type Selector } from '../../core/workflow/selector.ts';
import { literalPattern } from '../../native/normalise.ts';
import { StepError } from '../action.ts';

/** The values that `%name%` placeholders stand for (spec: Variables and secrets). */
export class Variables {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = new Map(Object.entries(values));
  }

  /** A text to type, with its values in place. */
  fill(text: string): string {
    return fillPlaceholders(text, (name) => this.#value(name));
  }

  /** A selector with its values in place; a `*` in a value stands for itself. */
  selector(selector: Selector, user: 'check' | 'step'): Selector {
    return mapSelectorTexts(selector, (text, key) => {
      const protect = key === 'label' ? (value: string) => value : literalPattern;
      return fillPlaceholders(text, (name) => protect(this.#needed(name, user)));
    });
  }

  /** The text that a check looks for; an empty value would be found everywhere. */
  sought(text: string): string {
    return fillPlaceholders(text, (name) => this.#needed(name, 'check'));
  }

  /** The title that a check looks for, whose own `*` are patterns. */
  soughtTitle(text: string): string {
    return fillPlaceholders(text, (name) => literalPattern(this.#needed(name, 'check')));
  }

  #needed(name: string, user: 'check' | 'step'): string {
    const value = this.#value(name);
    if (value.trim() === '') throw new StepError(`the ${user} uses %${name}%, but its value is empty`);
    return value;
  }

  #value(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new StepError(`%${name}% has no value`);
    return value;
  }
}
