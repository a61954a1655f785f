import type { Budget } from '../budget.ts';
import { OfficePackage, type Relation } from '../ooxml/package.ts';
import { attribute, readXml } from '../ooxml/xml.ts';
import type { DocumentPart } from '../protocol.ts';
import { Unreadable } from '../unreadable.ts';
import { readSharedStrings } from './shared-strings.ts';
import { SheetReader } from './sheet.ts';
import { CellStyles } from './styles.ts';

interface Sheet {
  name: string;
  relation: string;
  visible: boolean;
}

/**
 * The text of an Excel workbook: each visible sheet a part under its name, a row a line,
 * cells apart by tabs, numbers and dates as people see them. Hidden sheets are left out,
 * which a last part says.
 */
export async function* readWorkbook(bytes: Uint8Array, budget: Budget): AsyncGenerator<DocumentPart> {
  const office = await OfficePackage.open(bytes);
  try {
    const main = await office.mainPart();
    const { sheets, from1904 } = await readSheetList(office, main);
    const relations = await office.relations(main);
    const visible = sheets.filter((sheet) => sheet.visible);
    if (visible.length === 0) throw new Unreadable('has no visible sheet');
    const strings = await readSharedStrings(office, partOf(relations, 'sharedStrings'));
    const styles = await CellStyles.read(office, partOf(relations, 'styles'), from1904);
    for (const { name, relation } of visible) {
      const lines: string[] = [];
      const part = relations.find(({ id }) => id === relation);
      if (part === undefined) throw new Unreadable(`is damaged: its sheet "${name}" is missing`);
      const reader = new SheetReader(strings, styles, (line) => lines.push(budget.take(line)));
      // A sheet that is a chart has no cells.
      if (part.type === 'worksheet') await readXml(office.read(part.target), reader);
      yield { heading: `sheet ${name}`, text: lines.join('\n') };
    }
    const hidden = sheets.filter((sheet) => !sheet.visible).map(({ name }) => name);
    if (hidden.length > 0) yield { text: budget.take(`[Hidden sheets are left out: ${hidden.join(', ')}]`) };
  } finally {
    office.close();
  }
}

async function readSheetList(office: OfficePackage, main: string): Promise<{ sheets: Sheet[]; from1904: boolean }> {
  const sheets: Sheet[] = [];
  let from1904 = false;
  await readXml(office.read(main), {
    open: (name, attributes) => {
      if (name === 'sheet') {
        sheets.push({
          name: attribute(attributes, 'name') ?? '',
          relation: relationOf(attributes),
          visible: (attribute(attributes, 'state') ?? 'visible') === 'visible',
        });
      } else if (name === 'workbookPr') {
        from1904 = ['1', 'true', 'on'].includes(attribute(attributes, 'date1904') ?? '');
      }
    },
  });
  return { sheets, from1904 };
}

/** The attribute `r:id`, whatever the prefix; one without a prefix is something else. */
function relationOf(attributes: Record<string, string>): string {
  return Object.entries(attributes).find(([name]) => /:id$/.test(name))?.[1] ?? '';
}

function partOf(relations: readonly Relation[], type: string): string | undefined {
  return relations.find((relation) => relation.type === type)?.target;
}
