export { clean, type MetadataRemoval, type Refusal } from './remove-metadata.ts';
