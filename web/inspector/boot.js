// Starts the inspector. A file of its own, since the page's content policy allows no inline script.

const boot = document.getElementById("boot");

const WORDS = {
  missing: {
    en: "Throughline needs WebAssembly, which this browser does not offer or has switched off. A current Firefox, Chrome, Edge or Safari has it.",
    zh: "Throughline 需要 WebAssembly，而此浏览器不支持或已将其关闭。请使用新版 Firefox、Chrome、Edge 或 Safari。",
  },
  broken: {
    en: "Throughline could not be started. Load the page again; if that does not help, a file of this page is missing or old:",
    zh: "Throughline 未能启动。请重新加载页面；若仍无效，则此页面的某个文件缺失或过旧：",
  },
};

/** Shows why there is no inspector, in both languages, as plain text. */
function say(words, detail = "") {
  boot.setAttribute("role", "alert");
  boot.replaceChildren(
    ...Object.entries(words).map(([lang, text]) => {
      const line = document.createElement("p");
      line.lang = lang;
      line.textContent = detail === "" ? text : `${text} ${detail}`;
      return line;
    }),
  );
}

async function start() {
  if (typeof WebAssembly !== "object") {
    say(WORDS.missing);
    return;
  }
  try {
    // Back from signing in at a provider: go on where that was begun.
    const begun = new URLSearchParams(location.search).has("code") && sessionStorage.getItem("throughline.sign-in");
    if (begun) history.replaceState(null, "", location.pathname + location.search + JSON.parse(begun).hash);
    const { default: init } = await import("./inspector.js");
    await init({ module_or_path: new URL("./inspector_bg.wasm", import.meta.url) });
    boot.remove();
  } catch (error) {
    say(WORDS.broken, String(error));
    throw error;
  }
}

start();
