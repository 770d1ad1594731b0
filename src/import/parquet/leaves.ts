import type { SchemaElement, SchemaTree } from 'hyparquet';
import { mostElements } from '../mcap/place.ts';
import type { Cell, SourceColumn } from '../tables/table-source.ts';
import type { ArrowFields } from './arrow-types.ts';
import { leafType } from './leaf-type.ts';

/** A column of cells, which may be a field inside of a column of the file. */
export interface Leaf {
  readonly column: SourceColumn;
  /** The place of the column of the file. */
  readonly top: number;
  /** Leads to the value in what the library gives for it. */
  readonly path: readonly (string | number)[];
  /** Of the leaf in the footer, and as the library shall take it. */
  readonly given: SchemaElement;
  readonly element: SchemaElement;
  readonly convert: ((value: unknown) => Cell) | undefined;
  readonly isUint32?: boolean | undefined;
}

/** The columns of cells of a file: fields of structures have dots in their names; of lists those of a fixed, short length are read. */
export function leavesOf(trees: readonly SchemaTree[], arrow: ArrowFields): Leaf[] {
  return trees.flatMap((tree, top) =>
    leavesBelow(tree, { top, path: [], name: '', fields: [], within: [] }, arrow),
  );
}

interface Place {
  readonly top: number;
  readonly path: readonly (string | number)[];
  readonly name: string;
  /** Names of Arrow's fields, whose lists have no level between. */
  readonly fields: readonly string[];
  readonly within: readonly string[];
}

function leavesBelow(tree: SchemaTree, place: Place, arrow: ArrowFields): Leaf[] {
  const { element, children } = tree;
  const name = place.name === '' ? element.name : `${place.name}.${element.name}`;
  return leavesAt(tree, { ...place, name, fields: [...place.fields, element.name] }, arrow, children);
}

function leavesAt(
  { element }: SchemaTree,
  place: Place,
  arrow: ArrowFields,
  children: readonly SchemaTree[],
): Leaf[] {
  const { top, path, name, fields, within } = place;
  if (children.length === 0 && element.repetition_type !== 'REPEATED') {
    const {
      kind,
      type,
      isFloat32,
      isLocal,
      isUint32,
      element: stored,
      convert,
      refusal,
    } = leafType(element, arrow.typeOf(fields));
    const column = {
      name,
      kind,
      type,
      within,
      ...(isFloat32 && { isFloat32 }),
      ...(isLocal && { isLocal }),
      ...(refusal && { refusal }),
    };
    return [{ column, top, path, given: element, element: stored, convert, isUint32 }];
  }
  const isStruct =
    element.repetition_type !== 'REPEATED' &&
    children.every((child) => child.element.repetition_type !== 'REPEATED');
  if (isStruct) {
    return children.flatMap((child) => {
      const inner = { ...place, within: [...within, name], path: [...path, child.element.name] };
      return leavesBelow(child, inner, arrow);
    });
  }
  const size = arrow.listSize(fields);
  const item = children[0]?.children[0];
  if (size !== undefined && size <= mostElements && item !== undefined) {
    return Array.from({ length: size }, (_, i) => i).flatMap((i) => {
      const inner = {
        ...{ top, path: [...path, i], name: `${name}[${i}]`, within: [...within, name] },
        fields: [...fields, item.element.name],
      };
      return leavesAt(item, inner, arrow, item.children);
    });
  }
  const what =
    element.converted_type?.startsWith('MAP') || element.logical_type?.type === 'MAP' ? 'a map' : 'a list';
  const column = { name, kind: 'plain', type: '', within, refusal: `is nested (${what})` } as const;
  return [{ column, top, path, given: element, element, convert: undefined }];
}
