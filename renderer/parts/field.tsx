import { type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  /** Said beside the label: that a value is required. */
  note?: string | undefined;
  hint?: string | undefined;
  /** What is wrong with the value; its place is kept free, so that nothing moves. */
  problem?: string | undefined;
  children(ids: { id: string; describedBy: string; invalid: boolean }): ReactNode;
}

/** A labelled control with its hint and what is wrong with it. */
export function Field({ label, note, hint, problem, children }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {note !== undefined && <span className="quiet">{note}</span>}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="quiet">
          {hint}
        </p>
      )}
      {children({ id, describedBy: `${id}-hint ${id}-problem`, invalid: problem !== undefined })}
      <p id={`${id}-problem`} className="field-problem" role="alert">
        {problem}
      </p>
    </div>
  );
}
