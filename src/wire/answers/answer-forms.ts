/** The forms of an answer of rows, each with the media types that name it; the first is what nobody asked for. */
export const answerForms = {
  json: ['application/json'],
  csv: ['text/csv', 'application/csv'],
  parquet: ['application/vnd.apache.parquet'],
  arrow: ['application/vnd.apache.arrow.stream'],
} as const;

export type AnswerForm = keyof typeof answerForms;

/** The forms that are one table, written as they are read. */
export type TableForm = Exclude<AnswerForm, 'json'>;
