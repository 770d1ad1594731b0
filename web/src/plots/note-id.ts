/** The id of the events that are notes. */
export const noteId = 'note';
