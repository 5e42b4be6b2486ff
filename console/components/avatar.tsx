/** The picture of a person, or the first letter of the e-mail address. */

/** The page loads nothing from elsewhere, so only a picture that is in the URL itself is shown. */
export const isShowable = (image: string): boolean => /^data:image\/(?:png|jpeg|webp|gif);base64,/.test(image)

export const Avatar = ({ image, email }: { image: string; email: string }) =>
  isShowable(image) ? (
    <img class="avatar" src={image} alt="" />
  ) : (
    <span class="avatar" aria-hidden="true">
      {email.slice(0, 1).toUpperCase()}
    </span>
  )
