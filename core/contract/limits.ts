// Apart from the schemas, so that a page which asks these does not load the schema library.

/** The most bytes of a log or an artifact that one call gives. */
export const maxReadBytes = 262_144;

/** The most runs that one page of a list has. */
export const maxListedRuns = 1000;
