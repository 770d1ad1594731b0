/**
 * Every error that a client can get: code, HTTP status and title. The codes are part of the contract and are
 * listed in docs/errors.md (a test holds the two together); a retired code is never used again.
 */
export const errorTable = {
  bad_json: { status: 400, title: 'The body is not valid JSON' },
  bad_utf8: { status: 400, title: 'The text is not valid UTF-8' },
  unknown_property: { status: 400, title: 'The body has a property that is not known here' },
  duplicate_property: { status: 400, title: 'A property stands twice in one object' },
  missing_property: { status: 400, title: 'A required property is missing' },
  wrong_type: { status: 400, title: 'A value has the wrong type' },
  invalid_value: { status: 400, title: 'A value is not allowed here' },
  length_mismatch: { status: 400, title: 'An array does not have one element per timestamp' },
  bad_timestamp: { status: 400, title: 'A timestamp is not a 64-bit integer' },
  bad_base64: { status: 400, title: 'A binary value is not valid base64' },
  bad_name: { status: 400, title: 'A name or id is not allowed' },
  too_deep: { status: 400, title: 'The body is nested too deeply' },
  too_many_parameters: { status: 400, title: 'The payload has too many parameters' },
  too_many_tags: { status: 400, title: 'The payload has too many tags' },
  too_many_timestamps: { status: 400, title: 'The payload has too many timestamps' },
  string_too_long: { status: 400, title: 'A string value is too long' },
  binary_too_long: { status: 400, title: 'A binary value is too long' },
  result_too_large: { status: 400, title: 'The answer would be too large' },
  too_many_buckets: { status: 400, title: 'The answer would have too many time buckets' },
  query_too_large: { status: 400, title: 'The query would take too much memory' },
  query_too_slow: { status: 400, title: 'The query would take too long' },
  query_ended: { status: 400, title: 'An admin ended the query' },
  bad_expression: { status: 400, title: 'An expression cannot be understood' },
  bad_pattern: { status: 400, title: 'The pattern is not a valid regular expression' },
  not_supported: { status: 400, title: 'This is not supported here' },
  bad_encoding: { status: 400, title: 'The compressed body cannot be decompressed' },
  bad_request: { status: 400, title: 'The request is not valid HTTP' },
  unauthorized: { status: 401, title: 'A valid token is needed' },
  forbidden: { status: 403, title: 'The token does not allow this' },
  too_many_views: { status: 403, title: 'The workspace has as many views or shares as it may have' },
  too_many_streams: { status: 403, title: 'The workspace has as many streams as it may have' },
  workspace_full: { status: 403, title: 'The workspace has as much data as it may have' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  stream_not_found: { status: 404, title: 'There is no such stream' },
  token_not_found: { status: 404, title: 'There is no such token' },
  view_not_found: { status: 404, title: 'There is no such view' },
  share_not_found: { status: 404, title: 'There is no such share' },
  query_not_found: { status: 404, title: 'There is no such query' },
  calculated_not_found: { status: 404, title: 'There is no such calculated parameter' },
  alert_not_found: { status: 404, title: 'There is no such alert rule' },
  workspace_not_found: { status: 404, title: 'There is no such workspace' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  connection_in_use: { status: 409, title: 'The connection of the hub is in use' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  precondition_failed: { status: 412, title: 'It has changed since it was read' },
  body_too_large: { status: 413, title: 'The body is too large' },
  address_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong inside Pitwall' },
  data_damaged: { status: 500, title: 'The data that this read needs is damaged' },
  overloaded: { status: 503, title: 'Pitwall is busy' },
  read_interrupted: { status: 503, title: 'The thread that read the rows has ended' },
  shutting_down: { status: 503, title: 'Pitwall is stopping' },
  not_ready: { status: 503, title: 'Pitwall cannot take writes' },
  disk_full: { status: 503, title: 'The disk is full' },
  storage_failed: { status: 503, title: 'The storage has failed' },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** Whether an operation failed because the process, or the machine, can open no more files and sockets for now. */
export function isOutOfFiles(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'EMFILE' || code === 'ENFILE';
}

/** One fault of the input: where it is (`numericValues.Speed[17]`, empty for the whole body) and what it is. */
export interface InputFault {
  readonly path: string;
  readonly message: string;
}

/** An error that belongs to the caller or to the service's state; anything else that is thrown is a bug. */
export class PitwallError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly InputFault[];
  /** Seconds after which trying again makes sense, where it does. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    options: { detail?: string; errors?: readonly InputFault[]; retryAfter?: number } = {},
  ) {
    const faults = options.errors ?? [];
    super(options.detail ?? (faults.map(sentence).join('; ') || errorTable[code].title));
    this.name = 'PitwallError';
    this.code = code;
    this.errors = faults;
    this.retryAfter = options.retryAfter ?? (errorTable[code].status === 503 ? 1 : undefined);
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** The address takes other methods: those that the answer's `Allow` names. */
export class MethodNotAllowed extends PitwallError {
  readonly allow: readonly string[];

  constructor(allow: readonly string[], detail = `allowed here: ${allow.join(', ')}`) {
    super('method_not_allowed', { detail });
    this.allow = allow;
  }
}

/** Makes the error for a client where no file can be opened: it passes. */
export function outOfFiles(): PitwallError {
  return new PitwallError('overloaded', { detail: 'no more files can be opened for now' });
}

function sentence(fault: InputFault): string {
  return fault.path === '' ? `The body ${fault.message}` : `${fault.path} ${fault.message}`;
}
