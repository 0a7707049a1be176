export { removeMetadata, type CleanedImage } from './remove-metadata.ts';
