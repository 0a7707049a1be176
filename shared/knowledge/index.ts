export { addMessage, addPage, type AddOutcome } from './add-documents.ts';
export { collectionCard } from './collection-card.ts';
export type { KnowledgeContext } from './context.ts';
export { createKnowledgeTools, KNOWLEDGE_SOURCE } from './knowledge-tools.ts';
export { findAddRefusal, mayRemove } from './may-change.ts';
