/** The API contract's checks (core/contract/api.ts), compiled when the pages and the bridge are built. */
declare module 'virtual:contract-validators' {
  /** What a check found wrong; a subset of ajv's error object. */
  interface ContractError {
    /** Where in the value, as a JSON pointer; empty for the value itself. */
    instancePath: string;
    keyword: string;
    params: Record<string, unknown>;
    message?: string;
  }
  interface ContractCheck {
    (value: unknown): boolean;
    /** Of the last call; null or absent when it found nothing. */
    errors?: ContractError[] | null;
  }
  type Call = keyof typeof import('../core/contract/api.ts').apiProtocol;
  type Notice = keyof typeof import('../core/contract/api.ts').apiNotices;

  export const params: Record<Call, ContractCheck>;
  export const results: Record<Call, ContractCheck>;
  export const notices: Record<Notice, ContractCheck>;
}
