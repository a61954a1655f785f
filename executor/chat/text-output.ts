import type { LlmConfig } from '../../core/workflow/llm.ts';
import type { StepContext } from '../action.ts';
import type { ChatOptions } from '../models/model.ts';

/**
 * Writes an answer's text to the step's output, with a line end; where the file asks for them,
 * the model's thoughts stand before it, between `<thinking>` and `</thinking>`.
 */
export class TextOutput {
  readonly #context: Pick<StepContext, 'stdout' | 'log'>;
  readonly #showsThinking: boolean;
  #streams = false;
  #isThinking = false;

  constructor(context: Pick<StepContext, 'stdout' | 'log'>, { thinking }: Pick<LlmConfig, 'thinking'>) {
    this.#context = context;
    this.#showsThinking = thinking?.enabled === true && thinking.include_in_output === true;
  }

  /** What writes each piece as it comes. */
  asItComes(): Pick<ChatOptions, 'onText' | 'onThinking'> {
    this.#streams = true;
    return {
      onText: (piece) => {
        this.#endThinking();
        this.#context.stdout(piece);
      },
      ...(this.#showsThinking && { onThinking: (piece: string) => this.#think(piece) }),
    };
  }

  /** Writes what was not written yet. */
  end(text: string, thinking: string): void {
    if (!this.#streams && this.#showsThinking && thinking !== '') this.#think(thinking);
    this.#endThinking();
    this.#context.stdout(this.#streams ? '\n' : `${text}\n`);
    if (text === '') this.#context.log('warning: the model answered with an empty text');
  }

  #think(piece: string): void {
    if (!this.#isThinking) this.#context.stdout('<thinking>\n');
    this.#isThinking = true;
    this.#context.stdout(piece);
  }

  #endThinking(): void {
    if (this.#isThinking) this.#context.stdout('\n</thinking>\n\n');
    this.#isThinking = false;
  }
}
