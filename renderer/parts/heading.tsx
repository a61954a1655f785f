import { useEffect, useRef } from 'react';

let isFirst = true;

/**
 * A page's heading. It takes the focus when a person has gone to the page, so that a
 * screen reader reads on from there; not when the window opens.
 */
export function PageHeading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <h1 tabIndex={-1} ref={heading}>
      {children}
    </h1>
  );
}
