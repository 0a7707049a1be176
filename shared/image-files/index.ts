export { removeMetadata, type CleanedImage, type ImageRejection } from './remove-metadata.ts';
