// What few open, and what is larger: loaded when it is opened.
export { BesidePanels } from './beside/beside.tsx';
export { MathForm } from './math/math-form.tsx';
export { NoteDialog } from './notes/note-dialog.tsx';
export { ExportSheet } from './share/export-sheet.tsx';
export { ShareDialog } from './share/share-dialog.tsx';
export { ViewsDialog } from './share/views-dialog.tsx';
