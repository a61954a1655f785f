import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;

/** A picture as models take it: upright, its long edge at most 1568 pixels. */
export const Picture = Type.Object(
  {
    mediaType: Type.Union([Type.Literal('image/png'), Type.Literal('image/jpeg')]),
    bytes: Type.Unsafe<Uint8Array>({}),
  },
  closed,
);
export type Picture = Static<typeof Picture>;

/**
 * A piece of a document, in its order: a page, a sheet, or all of it. The heading says
 * which (`page 2`); it is absent where a document is one piece.
 */
export const DocumentPart = Type.Union([
  Type.Object({ heading: Type.Optional(Type.String()), text: Type.String() }, closed),
  Type.Object({ heading: Type.Optional(Type.String()), picture: Picture }, closed),
]);
export type DocumentPart = Static<typeof DocumentPart>;

/** Kinds of documents that a process of their own reads. */
export const DocumentKind = Type.Enum(['pdf', 'word', 'workbook', 'picture']);
export type DocumentKind = Static<typeof DocumentKind>;

/** What the reading process is asked. An unreadable document is an error of code `unreadable`, a passed limit one of the limit's name. */
export const documentsProtocol = {
  read: {
    params: Type.Object(
      {
        kind: DocumentKind,
        bytes: Type.Unsafe<Uint8Array>({}),
        limits: Type.Object({ characters: Type.Integer(), images: Type.Integer() }, closed),
      },
      closed,
    ),
    result: Type.Object({ parts: Type.Array(DocumentPart) }, closed),
  },
};
