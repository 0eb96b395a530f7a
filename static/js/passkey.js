// Asks the browser for a passkey, or to make one, and posts what it says with the form it stands in.
// Without scripts, or in a browser without passkeys, the button stays hidden.
(() => {
  "use strict";
  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));

  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replace(/=+$/, "");

  const named = (list) => (list || []).map((each) => ({ ...each, id: bytes(each.id) }));

  const ask = async (button) => {
    const asked = JSON.parse(button.dataset.options).publicKey;
    const wanted = { ...asked, challenge: bytes(asked.challenge) };
    if (button.dataset.passkey === "get") {
      return navigator.credentials.get({
        publicKey: { ...wanted, allowCredentials: named(asked.allowCredentials) },
      });
    }
    return navigator.credentials.create({
      publicKey: {
        ...wanted,
        user: { ...asked.user, id: bytes(asked.user.id) },
        excludeCredentials: named(asked.excludeCredentials),
      },
    });
  };

  const said = (credential) => {
    const { response } = credential;
    const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
    const filled = parts.filter((part) => response[part]);
    return {
      id: credential.id,
      rawId: text(credential.rawId),
      type: credential.type,
      response: Object.fromEntries(filled.map((part) => [part, text(response[part])])),
      clientExtensionResults: credential.getClientExtensionResults(),
    };
  };

  const pressed = async (button) => {
    const { form } = button;
    const failed = form.querySelector("[data-passkey-failed]");
    if (failed) failed.hidden = true;
    if (button.dataset.passkey === "create" && !form.reportValidity()) return;
    try {
      const field = form.elements.namedItem("credential");
      field.value = JSON.stringify(said(await ask(button)));
      const code = form.elements.namedItem("code");
      if (code) code.value = "";
      form.requestSubmit();
    } catch {
      // turned down, timed out, or not known here: the browser has told which
      if (failed) failed.hidden = false;
    }
  };

  if (!window.PublicKeyCredential) return;
  document.querySelectorAll("button[data-passkey]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => pressed(button));
  });
})();
