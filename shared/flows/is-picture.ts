import type { Attachment } from '../conversation/index.ts';

/** Whether a file seems to be a picture, by what the platform says of it; its content is looked at later. */
export const isPicture = ({ mimetype, name }: Pick<Attachment, 'mimetype' | 'name'>): boolean =>
  mimetype.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/iu.test(name);
