import { lookUpVideo } from '../../video/index.ts';
import { type CommandRequest, type CommandHandler, replyCard } from '../framework/types.ts';
import { type CommandSpec, type TextsOf } from '../framework/command-spec.ts';

export { onAction } from './animate.ts';

export const spec = {
  name: 'video',
  options: [{ name: 'id', kind: 'text', required: true }],
} as const satisfies CommandSpec;

/** Shows what the vision service knows about a stored video. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { options, interaction, locale } = request;
  return replyCard(request, await lookUpVideo(String(options['id']), interaction, locale, context), context);
};

export const texts = {
  name: {
    en: 'video',
    de: 'video',
    fr: 'vidéo',
    es: 'video',
    pt: 'vídeo',
    ja: '動画',
    ko: '동영상',
    zh: '视频',
  },
  about: {
    en: 'Look up a stored video',
    de: 'Ein gespeichertes Video suchen',
    fr: 'Chercher une vidéo enregistrée',
    es: 'Buscar un vídeo guardado',
    pt: 'Procurar um vídeo salvo',
    ja: '保存された動画を探す',
    ko: '저장된 동영상 찾아보기',
    zh: '查询已保存的视频',
  },
  'id.name': { en: 'id', de: 'id', fr: 'id', es: 'id', pt: 'id', ja: 'id', ko: 'id', zh: 'id' },
  'id.about': {
    en: 'The id of the video',
    de: 'Die ID des Videos',
    fr: 'L’identifiant de la vidéo',
    es: 'El identificador del vídeo',
    pt: 'O ID do vídeo',
    ja: '動画の ID',
    ko: '동영상 ID',
    zh: '视频 ID',
  },
} satisfies TextsOf<typeof spec>;
