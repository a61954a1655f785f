import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/**
 * The compiler of an author's JSON Schema, so unknown keywords and formats are let
 * through: they describe the answer to the model even where they cannot be checked.
 * Built programs load it at the first call (build/when-called.mjs).
 */
export function authorAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
  addFormats(ajv);
  return ajv;
}
