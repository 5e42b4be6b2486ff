/** Makes a picture so small that it fits into the field `image` of an account. */

/** The longest value that Berth accepts. */
const maxLength = 2000
/** Widths in pixels and qualities, from the best. */
const attempts = [64, 56, 48, 40, 32].flatMap((width) => [0.8, 0.6, 0.4, 0.2].map((quality) => ({ width, quality })))

/** The square in the middle of the picture, as a data URL. @throws if the file is no picture */
export async function smallPicture(file: Blob): Promise<string> {
  const picture = await createImageBitmap(file)
  const side = Math.min(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')!
  for (const { width, quality } of attempts) {
    canvas.width = width
    canvas.height = width
    context.drawImage(picture, (picture.width - side) / 2, (picture.height - side) / 2, side, side, 0, 0, width, width)
    const url = canvas.toDataURL('image/webp', quality)
    if (url.length <= maxLength) return url
  }
  throw new Error('The picture cannot be made small enough')
}
