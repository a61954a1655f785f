import type { OfficePackage } from '../ooxml/package.ts';
import { attribute, readXml } from '../ooxml/xml.ts';
import type { ListPlace, Numbering } from './numbering.ts';

interface Style {
  basedOn?: string;
  list?: string;
  level?: number;
}

/** The lists that paragraphs belong to by their style. */
export class ParagraphStyles {
  readonly #styles = new Map<string, Style>();

  static async read(office: OfficePackage, part: string | undefined): Promise<ParagraphStyles> {
    const styles = new ParagraphStyles();
    if (part === undefined || !office.has(part)) return styles;
    let style: Style = {};
    await readXml(office.read(part), {
      open: (name, attributes) => {
        const value = attribute(attributes, 'val') ?? '';
        if (name === 'style') {
          style = {};
          styles.#styles.set(attribute(attributes, 'styleId') ?? '', style);
        } else if (name === 'basedOn') style.basedOn = value;
        else if (name === 'numId') style.list = value;
        else if (name === 'ilvl') style.level = Number(value);
      },
    });
    return styles;
  }

  /** The place in a list that a style gives, by itself or by one that it is based on. */
  place(name: string, numbering: Numbering): ListPlace | undefined {
    const seen = new Set<string>();
    let level: number | undefined;
    for (let at: string | undefined = name; at !== undefined && !seen.has(at); ) {
      seen.add(at);
      const style: Style | undefined = this.#styles.get(at);
      level ??= style?.level;
      if (style?.list !== undefined) {
        return { list: style.list, level: level ?? numbering.levelOfStyle(style.list, at) };
      }
      at = style?.basedOn;
    }
    return undefined;
  }
}
