/** Calls the listener when files of the folder, or what is allowed of them, changed. */
export function onWorkflowsChanged(changed: () => void): () => void {
  return window.dagu.on('workflowsChanged', changed);
}
