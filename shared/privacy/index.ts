export type { PrivacyContext } from './context.ts';
export {
  erase,
  enqueueChannelErasure,
  enqueueDocumentErasure,
  enqueueRetention,
  enqueueErasure,
  enqueueMessageErasure,
  enqueueThreadErasure,
} from './erase.ts';
export { takeExportPermit, runExport, enqueueExport } from './export.ts';
export { type FillContext, fillPersonIndex } from './fill-person-index.ts';
