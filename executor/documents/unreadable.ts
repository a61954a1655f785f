/**
 * A document cannot be read for a reason that its owner can act on. The message goes on
 * after the file's name: `is protected by a password; save it without one`.
 */
export class Unreadable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unreadable';
  }
}
